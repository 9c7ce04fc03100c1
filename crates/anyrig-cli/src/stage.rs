//! All or nothing: files are written under a temporary folder beside their destination and moved when all are whole.

use crate::failure::{Failure, Result};
use crate::open::open;
use anyrig::bytes::Rope;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What to do with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

impl Existing {
    /// What `--force` means.
    pub fn unless_forced(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Files on their way. Dropping it removes everything that was not committed.
#[derive(Debug)]
pub struct Stage {
    temporary: PathBuf,
    /// Below the temporary folder.
    new: PathBuf,
    destination: PathBuf,
    /// Name below the temporary folder, and name below the destination.
    files: Vec<(String, OsString)>,
    /// Whether the temporary folder goes with the stage; not when it holds the only copy of something.
    leave_behind: bool,
}

impl Stage {
    /// Makes a temporary folder on the file system of the destination: in it, or in the nearest folder above it that
    /// exists.
    pub fn new(destination: &Path) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let destination = if destination.as_os_str().is_empty() { Path::new(".") } else { destination };
        refuse_ways_back(destination)?;
        let existing = nearest_existing(destination)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = existing.join(format!(".anyrig-{}-{number}.tmp", std::process::id()));
        fs::create_dir(&temporary).map_err(|e| Failure::io(&existing, "write into this folder", &e))?;
        let new = temporary.join("new");
        let stage =
            Self { temporary, new, destination: destination.to_path_buf(), files: Vec::new(), leave_behind: false };
        fs::create_dir(&stage.new).map_err(|e| Failure::io(&existing, "write into this folder", &e))?;
        Ok(stage)
    }

    /// Where the files lie until they are moved.
    pub fn folder(&self) -> &Path {
        &self.new
    }

    /// Whether something lies where the first file goes.
    pub fn main_exists(&self) -> bool {
        let main = self.files.first().map(|(_, name)| self.destination.join(name));
        main.is_some_and(|main| fs::symlink_metadata(main).is_ok())
    }

    /// Writes a file under a name that stays below the folder; it will be called `final_name`.
    pub fn write(&mut self, name: &str, final_name: OsString, content: &Rope) -> Result<()> {
        let path = self.new.join(name);
        let doing = |e: &io::Error| Failure::io(&self.destination.join(&final_name), "write", e);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|e| doing(&e))?;
        }
        let mut file = File::create_new(&path).map_err(|e| doing(&e))?;
        write_rope(content, &mut file).map_err(|e| doing(&e))?;
        self.files.push((name.to_owned(), final_name));
        Ok(())
    }

    /// Moves all files to their places, or none, and returns these places. `inputs` are canonical paths that are never
    /// written onto. A file beside the main one that already lies there with the same bytes stays as it is.
    ///
    /// # Errors
    /// When a file exists and is to be kept, when a place is an input, and when the system refuses.
    pub fn commit(mut self, existing: Existing, inputs: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>> {
        let mut places = Vec::new();
        let mut missing = Vec::new();
        for (index, (name, final_name)) in self.files.iter().enumerate() {
            let (staged, place) = (self.new.join(name), self.destination.join(final_name));
            if index == 0 || !is_same_file(&staged, &place) {
                self.refuse_way_out(&place)?;
                check_place(&place, existing, inputs)?;
                missing.push((staged, place.clone()));
            }
            places.push(place);
        }
        let mut moves = Moves::default();
        match self.move_all(&missing, (existing, inputs), &mut moves) {
            Ok(()) => Ok(places),
            Err(failure) => Err(self.undo(moves, failure)),
        }
    }

    /// Puts everything back. What cannot be put back stays in the temporary folder, whose name the failure tells.
    fn undo(&mut self, moves: Moves, failure: Failure) -> Failure {
        let stranded = moves.undo();
        if stranded.is_empty() {
            return failure;
        }
        self.leave_behind = true;
        let lines =
            stranded.iter().map(|s| format!("{} is now {} ({})", s.place.display(), s.backup.display(), s.error));
        let lines = lines.collect::<Vec<_>>().join("; ");
        let message =
            format!("{}; what was there before could not be put back, move it yourself: {lines}", failure.message);
        Failure { message, ..failure }
    }

    /// Refuses a place that a link in a subfolder leads out of the destination. The destination itself may be a link: the
    /// user has named it.
    fn refuse_way_out(&self, place: &Path) -> Result<()> {
        let Ok(destination) = self.destination.canonicalize() else { return Ok(()) };
        let folders = place.ancestors().skip(1).take_while(|folder| *folder != self.destination);
        let Some(folder) = folders.into_iter().find(|folder| fs::symlink_metadata(folder).is_ok()) else {
            return Ok(());
        };
        // A link to nowhere is met when the folder is made.
        match folder.canonicalize() {
            Ok(leads_to) if !leads_to.starts_with(&destination) => Err(Failure::failed(format!(
                "{}: this folder is a link that leads out of the output folder, to {}; remove the link, or choose \
                 another output folder",
                folder.display(),
                leads_to.display()
            ))),
            _ => Ok(()),
        }
    }

    fn move_all(
        &self,
        files: &[(PathBuf, PathBuf)],
        (existing, inputs): (Existing, &BTreeSet<PathBuf>),
        moves: &mut Moves,
    ) -> Result<()> {
        let backups = self.temporary.join("old");
        for (index, (staged, place)) in files.iter().enumerate() {
            let doing = |e: &io::Error| Failure::io(place, "write", e);
            if let Some(parent) = place.parent() {
                moves.create_folders(parent).map_err(|e| doing(&e))?;
            }
            // Folders that did not exist before may make the path lead elsewhere than it did when it was checked.
            refuse_input(place, inputs)?;
            self.refuse_way_out(place)?;
            if existing == Existing::Replace && fs::symlink_metadata(place).is_ok() {
                fs::create_dir_all(&backups).map_err(|e| doing(&e))?;
                let backup = backups.join(index.to_string());
                fs::rename(place, &backup).map_err(|e| doing(&e))?;
                moves.replaced.push((backup, place.clone()));
            }
            move_to_free_place(staged, place).map_err(|e| doing(&e))?;
            moves.done.push(place.clone());
        }
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Nothing more can be done when the system refuses; the name of the folder tells whose it is.
        let remove = if self.leave_behind { &self.new } else { &self.temporary };
        drop(fs::remove_dir_all(remove));
    }
}

/// Writes a file next to its place and moves it there.
pub fn write_one(place: &Path, content: &Rope, existing: Existing, inputs: &BTreeSet<PathBuf>) -> Result<()> {
    let name = place.file_name().ok_or_else(|| Failure::usage(format!("{} is no file name", place.display())))?;
    let mut stage = Stage::new(place.parent().unwrap_or(Path::new("")))?;
    stage.write("file", name.to_owned(), content)?;
    stage.commit(existing, inputs).map(drop)
}

/// Whether a file can be written next to this place, as [`write_one`] does; for files that are written last, before the
/// work is done.
///
/// # Errors
/// As [`check_place`], and when the system lets nothing be made there.
pub fn check_writable(place: &Path, existing: Existing, inputs: &BTreeSet<PathBuf>) -> Result<()> {
    check_place(place, existing, inputs)?;
    Stage::new(place.parent().unwrap_or(Path::new(""))).map(drop)
}

/// Whether a file may be written here.
///
/// # Errors
/// When it is an input or a folder, exists and is to be kept, lies below a file, or leads through a missing folder and
/// back.
pub fn check_place(place: &Path, existing: Existing, inputs: &BTreeSet<PathBuf>) -> Result<()> {
    let Ok(metadata) = fs::symlink_metadata(place) else {
        refuse_ways_back(place)?;
        return nearest_existing(place.parent().unwrap_or(Path::new(""))).map(drop);
    };
    refuse_input(place, inputs)?;
    if metadata.is_dir() {
        return Err(Failure::failed(format!("{} is a folder; choose another name for the output", place.display())));
    }
    if existing == Existing::Keep {
        return Err(Failure::failed(format!("{} exists; --force overwrites it", place.display())));
    }
    Ok(())
}

fn refuse_input(place: &Path, inputs: &BTreeSet<PathBuf>) -> Result<()> {
    if place.canonicalize().is_ok_and(|path| inputs.contains(&path) || is_other_name(&path, inputs)) {
        let message =
            format!("{} is an input, which is never written onto; choose another name for the output", place.display());
        return Err(Failure::failed(message));
    }
    Ok(())
}

/// Whether a file is one of these under another name: a hard link, or another spelling of case.
#[cfg(unix)]
fn is_other_name(path: &Path, inputs: &BTreeSet<PathBuf>) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    // Most files have one name.
    let Some(linked) = fs::metadata(path).ok().filter(|m| m.nlink() > 1).map(|m| (m.dev(), m.ino())) else {
        return false;
    };
    inputs.iter().any(|input| identity(input) == Some(linked))
}

#[cfg(not(unix))]
fn is_other_name(_: &Path, _: &BTreeSet<PathBuf>) -> bool {
    false
}

/// Refuses `..` behind a folder that does not exist: where it leads is known only once the folder is there, and it may
/// be an input. Between folders that exist, the system follows it, links included.
fn refuse_ways_back(path: &Path) -> Result<()> {
    let is_missing = |f: &&Path| !f.as_os_str().is_empty() && fs::metadata(f).is_err();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    if missing.iter().any(|f| f.components().next_back() == Some(Component::ParentDir)) {
        let first = missing.last().unwrap_or(&path).display();
        let message = format!("{}: there is no {first} to come back from; write the path without ..", path.display());
        return Err(Failure::usage(message));
    }
    Ok(())
}

fn nearest_existing(destination: &Path) -> Result<PathBuf> {
    for folder in destination.ancestors() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        match fs::metadata(folder) {
            Ok(metadata) if metadata.is_dir() => return Ok(folder.to_path_buf()),
            Ok(_) => {
                let message =
                    format!("{} is a file, not a folder; choose another name for the output", folder.display());
                return Err(Failure::failed(message));
            }
            // Below a file; the file itself comes next.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => return Err(Failure::io(folder, "write into this folder", &error)),
        }
    }
    Err(Failure::failed(format!("{}: there is no folder to write into", destination.display())))
}

fn write_rope(content: &Rope, file: &mut File) -> io::Result<()> {
    let mut buffered = io::BufWriter::with_capacity(1 << 16, &mut *file);
    content.write_to(&mut buffered)?;
    io::Write::flush(&mut buffered)
}

/// Whether a regular file lies there with these bytes.
fn is_same_file(staged: &Path, place: &Path) -> bool {
    let size = |path: &Path| fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|m| m.len());
    if size(staged).is_none() || size(staged) != size(place) {
        return false;
    }
    let bytes = |path: &Path| open(path, u64::MAX).ok();
    bytes(staged).zip(bytes(place)).is_some_and(|(a, b)| a == b)
}

/// Fails rather than overwrite what somebody else has put there meanwhile.
fn move_to_free_place(from: &Path, place: &Path) -> io::Result<()> {
    let from = tempfile::TempPath::try_from_path(from)?;
    from.persist_noclobber(place).map_err(|e| e.error)
}

/// What was done so far, to be undone.
#[derive(Default)]
struct Moves {
    folders: Vec<PathBuf>,
    replaced: Vec<(PathBuf, PathBuf)>,
    done: Vec<PathBuf>,
}

impl Moves {
    fn create_folders(&mut self, folder: &Path) -> io::Result<()> {
        let is_missing = |f: &&Path| !f.as_os_str().is_empty() && fs::metadata(f).is_err();
        let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => self.folders.push(folder.to_path_buf()),
                // Another conversion of the batch was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Gives back what could not be put back to its place.
    fn undo(self) -> Vec<Stranded> {
        for file in self.done.iter().rev() {
            drop(fs::remove_file(file));
        }
        let mut stranded = Vec::new();
        for (backup, place) in self.replaced.into_iter().rev() {
            if let Err(error) = fs::rename(&backup, &place) {
                stranded.push(Stranded { backup, place, error });
            }
        }
        for folder in self.folders.iter().rev() {
            drop(fs::remove_dir(folder));
        }
        stranded
    }
}

/// A file of the user's that could not be put back.
struct Stranded {
    backup: PathBuf,
    place: PathBuf,
    error: io::Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(text: &str) -> Rope {
        text.as_bytes().to_vec().into()
    }

    fn all_files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).expect("readable") {
                let path = entry.expect("readable").path();
                found.push(path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/"));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_dropped_stage_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut stage = Stage::new(&folder.path().join("new/deeper")).expect("writable");
        stage.write("a/b.bin", "a/b.bin".into(), &rope("x")).expect("writable");
        assert!(stage.folder().join("a/b.bin").is_file());
        drop(stage);
        assert!(all_files(folder.path()).is_empty());
    }

    #[test]
    fn a_commit_moves_all_and_keeps_what_exists() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("出力");
        let commit = |existing| {
            let mut stage = Stage::new(&out).expect("writable");
            stage.write("a.bin", "名.bin".into(), &rope("new")).expect("writable");
            stage.write("t/b.bin", "t/b.bin".into(), &rope("new")).expect("writable");
            stage.commit(existing, &BTreeSet::new())
        };
        assert_eq!(commit(Existing::Keep).map(|f| f.len()), Ok(2));
        assert_eq!(all_files(folder.path()), ["出力", "出力/t", "出力/t/b.bin", "出力/名.bin"]);
        fs::write(out.join("t/b.bin"), "mine").expect("writable");
        fs::remove_file(out.join("名.bin")).expect("removable");
        assert!(commit(Existing::Keep).is_err_and(|e| e.message.contains("b.bin exists; --force")));
        assert_eq!(fs::read(out.join("t/b.bin")).ok().as_deref(), Some(&b"mine"[..]));
        assert_eq!(all_files(folder.path()), ["出力", "出力/t", "出力/t/b.bin"]);
        assert!(commit(Existing::Replace).is_ok());
        assert_eq!(fs::read(out.join("t/b.bin")).ok().as_deref(), Some(&b"new"[..]));
    }

    #[test]
    fn what_is_there_already_is_left_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shared = folder.path().join("shared.bin");
        fs::write(&shared, "same").expect("writable");
        let inputs = BTreeSet::from([shared.canonicalize().expect("there")]);
        let commit = |main: &str, content: &str| {
            let mut stage = Stage::new(folder.path()).expect("writable");
            stage.write(main, main.into(), &rope("main")).expect("writable");
            stage.write("shared.bin", "shared.bin".into(), &rope(content)).expect("writable");
            stage.commit(Existing::Keep, &inputs).map(|places| places.len())
        };
        assert_eq!(commit("a", "same"), Ok(2));
        assert!(commit("b", "diff").is_err());
        assert!(commit("a", "same").is_err(), "the main file is not taken for written");
        assert_eq!(all_files(folder.path()), ["a", "shared.bin"]);
    }

    #[test]
    fn a_failure_in_the_middle_restores_everything() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("a"), "old").expect("writable");
        fs::write(folder.path().join("b"), "a file where a folder is wanted").expect("writable");
        let mut stage = Stage::new(folder.path()).expect("writable");
        stage.write("new/x", "new/x".into(), &rope("x")).expect("writable");
        stage.write("a", "a".into(), &rope("new")).expect("writable");
        stage.write("c", "b/c".into(), &rope("c")).expect("writable");
        assert!(stage.commit(Existing::Replace, &BTreeSet::new()).is_err());
        assert_eq!(all_files(folder.path()), ["a", "b"]);
        assert_eq!(fs::read(folder.path().join("a")).ok().as_deref(), Some(&b"old"[..]));
    }

    /// Nobody else has the user's file then.
    #[test]
    fn what_cannot_be_put_back_is_kept_and_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut stage = Stage::new(folder.path()).expect("writable");
        let backup = stage.temporary.join("old/0");
        fs::create_dir(stage.temporary.join("old")).expect("writable");
        fs::write(&backup, "mine").expect("writable");
        // The folder in which it lay has gone meanwhile.
        let place = folder.path().join("gone/a");
        let moves = Moves { replaced: vec![(backup.clone(), place)], ..Moves::default() };
        let failure = stage.undo(moves, Failure::failed("disk full"));
        drop(stage);
        assert!(failure.message.starts_with("disk full; "), "{failure}");
        assert!(failure.message.contains(&backup.display().to_string()), "{failure}");
        assert_eq!(fs::read(&backup).ok().as_deref(), Some(&b"mine"[..]));
    }

    #[cfg(unix)]
    #[test]
    fn a_subfolder_that_leads_out_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (out, outside) = (folder.path().join("out"), folder.path().join("outside"));
        for path in [&out, &out.join("inside"), &outside] {
            fs::create_dir(path).expect("writable");
        }
        let commit = |name: &str| {
            let mut stage = Stage::new(&out).expect("writable");
            stage.write("a", "a".into(), &rope("a")).expect("writable");
            stage.write(name, name.into(), &rope("x")).expect("writable");
            stage.commit(Existing::Replace, &BTreeSet::new())
        };
        std::os::unix::fs::symlink("../outside", out.join("Textures")).expect("a link");
        std::os::unix::fs::symlink("inside", out.join("Materials")).expect("a link");
        for name in ["Textures/x", "Textures/deeper/x"] {
            assert!(commit(name).is_err_and(|e| e.message.contains("remove the link")), "{name}");
        }
        assert!(all_files(&outside).is_empty() && !out.join("a").exists());
        assert!(commit("Materials/x").is_ok());
        assert!(out.join("inside/x").is_file());
    }

    #[test]
    fn an_input_is_never_written_onto() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let input = folder.path().join("in.glb");
        fs::write(&input, "in").expect("writable");
        let inputs = BTreeSet::from([input.canonicalize().expect("there")]);
        let place = folder.path().join("./in.glb");
        assert!(write_one(&place, &rope("x"), Existing::Replace, &inputs).is_err_and(|e| e.message.contains("input")));
        assert_eq!(fs::read(&input).ok().as_deref(), Some(&b"in"[..]));
    }
}
