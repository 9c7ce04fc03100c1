//! Where each conversion writes.

use crate::args::ConvertArgs;
use crate::failure::{Failure, Result};
use crate::inputs::Input;
use anyrig::bytes::names::safe_file_name;
use anyrig::{Exporter, Packaging, Registry};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where one conversion writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    Stdout,
    /// Below a folder; the main file has the name that the target gives it, or this one.
    Folder {
        folder: PathBuf,
        main: Option<OsString>,
    },
}

/// One conversion to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub input: Input,
    /// Name of the main output without extension, not yet safe.
    pub stem: String,
    pub destination: Destination,
}

/// The target of `--to`, else of the output's extension.
pub fn target<'a>(registry: &'a Registry, args: &ConvertArgs) -> Result<&'a dyn Exporter> {
    if let Some(id) = &args.to {
        return Ok(registry.exporter(id)?);
    }
    let all = || registry.exporters().map(|e| e.info().id).collect::<Vec<_>>().join(", ");
    let Some(extension) = args.place.output.as_ref().and_then(|o| extension(Path::new(o))) else {
        return Err(Failure::usage(format!("say with --to TARGET what to write; there are: {}", all())));
    };
    match registry.exporters_for_extension(&extension).as_slice() {
        [] => Err(Failure::usage(format!("no target writes .{extension} files; --to TARGET takes one of: {}", all()))),
        [one] => Ok(*one),
        several => {
            let ids: Vec<_> = several.iter().map(|e| e.info().id).collect();
            let message = format!("several targets write .{extension} files; say --to with one of: {}", ids.join(", "));
            Err(Failure::usage(message))
        }
    }
}

/// Refuses what is for one input only.
pub fn check_batch(args: &ConvertArgs, batch: bool) -> Result<()> {
    if batch && args.place.name.is_some() {
        return Err(Failure::usage("--name is for one input; these are several"));
    }
    if batch && args.place.output.as_ref().is_some_and(|word| word == "-") {
        return Err(Failure::usage("standard output takes one file; these are several inputs"));
    }
    Ok(())
}

/// Finds a destination for each input and refuses two that would write the same file.
pub fn plan(inputs: Vec<Input>, exporter: &dyn Exporter, registry: &Registry, args: &ConvertArgs) -> Result<Vec<Job>> {
    let batch = inputs.len() > 1;
    check_batch(args, batch)?;
    if args.place.name.as_deref().is_some_and(|name| name.to_string_lossy().trim().is_empty()) {
        return Err(Failure::usage("the --name is empty"));
    }
    let output = output_kind(args, exporter, registry, batch)?;
    let jobs: Vec<Job> = inputs.into_iter().map(|input| job(input, &output, exporter, args, batch)).collect();
    refuse_same_outputs(&jobs)?;
    Ok(jobs)
}

enum Output<'a> {
    Default,
    Stdout,
    Folder(&'a Path),
    File(&'a Path),
}

fn output_kind<'a>(
    args: &'a ConvertArgs,
    exporter: &dyn Exporter,
    registry: &Registry,
    batch: bool,
) -> Result<Output<'a>> {
    let Some(word) = &args.place.output else { return Ok(Output::Default) };
    let path = Path::new(word);
    if word == "-" {
        if matches!(exporter.packaging(), Packaging::Folder { .. }) {
            let id = exporter.info().id;
            return Err(Failure::usage(format!("`{id}` writes several files; give a folder with -o instead of -")));
        }
        return Ok(Output::Stdout);
    }
    if word.is_empty() {
        return Err(Failure::usage("the output's name is empty"));
    }
    let ends_in_slash = word.to_string_lossy().ends_with(std::path::is_separator);
    let Some(extension) = extension(path).filter(|_| !batch && !ends_in_slash && !path.is_dir()) else {
        return Ok(Output::Folder(path));
    };
    if registry.exporters_for_extension(&extension).is_empty() {
        if registry.importers().any(|i| i.info().extensions.contains(&extension.as_str())) {
            let message = format!(
                "{}: .{extension} files are read but not written; change -o, or end it in a slash for a folder",
                path.display()
            );
            return Err(Failure::usage(message));
        }
        return Ok(Output::Folder(path));
    }
    if !exporter.info().extensions.contains(&extension.as_str()) {
        let (id, usual) = (exporter.info().id, exporter.info().extensions.first().copied().unwrap_or_default());
        let message = format!("`{id}` does not write .{extension} files but .{usual}; change -o or --to");
        return Err(Failure::usage(message));
    }
    if args.place.name.is_some() {
        return Err(Failure::usage("-o names the output file already; leave --name out, or give -o a folder"));
    }
    Ok(Output::File(path))
}

fn job(input: Input, output: &Output<'_>, exporter: &dyn Exporter, args: &ConvertArgs, batch: bool) -> Job {
    let name = args.place.name.as_deref().map(|name| name.to_string_lossy().into_owned());
    let input_stem = match &input {
        Input::Stdin => name.clone().unwrap_or_else(|| "stdin".to_owned()),
        Input::File(path) | Input::Missing(path, _) => lossy(path.file_stem()),
    };
    // Beside the input a file of the same format needs a name of its own.
    let suffix = match output {
        Output::Default if args.optimize.is_some() => "_optimized",
        Output::Default if args.bake.is_some() => "_baked",
        _ => "",
    };
    let stem = name.unwrap_or_else(|| format!("{input_stem}{suffix}"));
    let own = |suffix: &str| format!("{}{suffix}", safe_file_name(&input_stem, "unnamed"));
    let in_folder = |folder: PathBuf| Destination::Folder { folder, main: None };
    let destination = match (output, exporter.packaging()) {
        (Output::Stdout, _) => Destination::Stdout,
        (Output::File(path), _) => {
            let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
            let main = path.file_name().map(OsStr::to_owned);
            return Job { input, stem: lossy(path.file_stem()), destination: Destination::Folder { folder, main } };
        }
        (Output::Default, Packaging::Folder { suffix }) => in_folder(PathBuf::from(own(suffix))),
        (Output::Folder(path), Packaging::Folder { suffix }) if batch => in_folder(path.join(own(suffix))),
        // Files beside the main one may have equal names, images above all.
        (Output::Folder(path), Packaging::FilesBeside) if batch => in_folder(path.join(own(""))),
        (Output::Default, Packaging::FilesBeside) if batch => in_folder(PathBuf::from(own(""))),
        (Output::Folder(path), _) => in_folder(path.to_path_buf()),
        (Output::Default, _) => in_folder(PathBuf::new()),
    };
    Job { input, stem, destination }
}

fn refuse_same_outputs(jobs: &[Job]) -> Result<()> {
    let mut taken: BTreeMap<String, &Job> = BTreeMap::new();
    for job in jobs {
        let Destination::Folder { folder, main } = &job.destination else { continue };
        let main =
            main.as_ref().map_or_else(|| safe_file_name(&job.stem, "unnamed"), |m| m.to_string_lossy().into_owned());
        let key = folder.join(main).to_string_lossy().to_lowercase();
        if let Some(other) = taken.insert(key, job) {
            let message = format!(
                "{} and {} would write the same output; convert them one by one with -o or -n",
                other.input.display(),
                job.input.display()
            );
            return Err(Failure::usage(message));
        }
    }
    Ok(())
}

fn lossy(name: Option<&OsStr>) -> String {
    name.map_or_else(|| "unnamed".to_owned(), |n| n.to_string_lossy().into_owned())
}

fn extension(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use anyrig::{Context, ExportedFile, FormatInfo, Scene, Source};
    use clap::Parser;

    struct Writes(&'static FormatInfo);

    impl Exporter for Writes {
        fn info(&self) -> &'static FormatInfo {
            self.0
        }

        fn packaging(&self) -> Packaging {
            Packaging::Folder { suffix: "_Out" }
        }

        fn export(&self, _: Scene, _: &str, _: &Context) -> anyrig::Result<Vec<ExportedFile>> {
            Ok(Vec::new())
        }

        fn verify(&self, _: &str, _: &dyn Source, _: &Context) -> anyrig::Result<()> {
            Ok(())
        }
    }

    const fn info(id: &'static str, extensions: &'static [&'static str]) -> FormatInfo {
        FormatInfo::new(id, id, extensions)
    }

    static ONE: FormatInfo = info("one", &["mdl"]);
    static TWO: FormatInfo = info("two", &["mdl", "two"]);

    fn registry() -> Registry {
        let mut registry = Registry::empty();
        registry.add_exporter(Writes(&ONE));
        registry.add_exporter(Writes(&TWO));
        registry
    }

    fn args(words: &[&str]) -> ConvertArgs {
        let cli = Cli::parse_from([&["anyrig", "convert"], words].concat());
        let Command::Convert(args) = cli.command else { panic!("convert") };
        args
    }

    fn target_of(words: &[&str]) -> Result<&'static str> {
        target(&registry(), &args(words)).map(|e| e.info().id)
    }

    #[test]
    fn an_ambiguous_ending_names_the_targets() {
        assert_eq!(target_of(&["a", "-o", "x.two"]), Ok("two"));
        assert_eq!(target_of(&["a", "-o", "x.mdl", "--to", "one"]), Ok("one"));
        let failure = target_of(&["a", "-o", "x.mdl"]).expect_err("two targets write it");
        assert_eq!(failure.exit.code(), 2);
        assert!(failure.message.ends_with("one of: one, two"), "{failure}");
        assert!(target_of(&["a", "-o", "folder"]).is_err());
    }

    fn destinations(words: &[&str], inputs: &[&str]) -> Result<Vec<String>> {
        let (registry, args) = (registry(), args(words));
        let inputs = inputs.iter().map(|i| Input::File(PathBuf::from(i))).collect();
        let jobs = plan(inputs, registry.exporter("two")?, &registry, &args)?;
        let text = |job: Job| match job.destination {
            Destination::Stdout => "-".to_owned(),
            Destination::Folder { folder, main } => format!("{}|{:?}|{}", folder.display(), main, job.stem),
        };
        Ok(jobs.into_iter().map(text).collect())
    }

    #[test]
    fn destinations_of_one_input_and_of_a_batch() {
        let of = |words: &[&str], inputs: &[&str]| destinations(words, inputs).map(|d| d.join(" "));
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(of(&["x"], &["m/Fox.glb"]), ok("Fox_Out|None|Fox"));
        assert_eq!(of(&["x", "-n", "A"], &["m/Fox.glb"]), ok("Fox_Out|None|A"));
        assert_eq!(of(&["x", "-o", "out", "-n", "A"], &["Fox.glb"]), ok("out|None|A"));
        assert_eq!(of(&["x", "-o", "out/B.two"], &["Fox.glb"]), ok("out|Some(\"B.two\")|B"));
        assert_eq!(of(&["x", "-o", "out.v2"], &["Fox.glb"]), ok("out.v2|None|Fox"));
        assert_eq!(of(&["x", "-o", "B.two/"], &["Fox.glb"]), ok("B.two/|None|Fox"));
        assert_eq!(of(&["x", "-o", "out"], &["a.glb", "b.glb"]), ok("out/a_Out|None|a out/b_Out|None|b"));
        assert!(of(&["x", "-o", "-"], &["a.glb"]).is_err(), "a folder does not go to standard output");
        assert!(of(&["x", "-n", "A"], &["a.glb", "b.glb"]).is_err());
        assert!(of(&["x"], &["1/a.glb", "2/A.glb"]).is_err_and(|f| f.message.contains("same output")));
    }
}
