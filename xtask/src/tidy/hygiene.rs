//! How text files are kept, whatever their language.

use super::Violation;

/// Endings of files that people write. Generated ones keep the layout of their generator.
const WRITTEN: &[&str] = &[".rs", ".md", ".toml", ".mjs", ".js", ".ts", ".sh", ".py", ".txt", ".gitignore"];

/// Folders of the machine that something was written on; split, so that this file passes its own rule.
const MACHINE_FOLDERS: &[&str] = &[concat!("/", "work/"), concat!("/", "root/")];

/// Package registries: which mirror is asked is the machine's affair, not the project's.
const REGISTRIES: &[&str] =
    &["crates.io", "npmjs.org", "npmjs.com", "yarnpkg.com", "pypi.org", "pythonhosted.org", "debian.org"];

/// Checks one file.
pub fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        violations.extend(foreign_words(line).map(|message| Violation::new(path, index + 1, message)));
    }
    if is_written(path) {
        violations.extend(layout(path, text));
    }
    violations
}

fn is_written(path: &str) -> bool {
    path.starts_with(".ci/") || path.starts_with("LICENSE") || WRITTEN.iter().any(|ending| path.ends_with(ending))
}

fn layout(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        if line.ends_with([' ', '\t', '\r']) {
            violations.push(Violation::new(path, index + 1, "white space at the end of the line; remove it"));
        }
        if path.ends_with(".rs") && line.contains('\t') {
            violations.push(Violation::new(path, index + 1, "a tab; write spaces, or `\\t` in a string"));
        }
    }
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        let message = "the file must end with one line break, no more and no less";
        violations.push(Violation::new(path, text.lines().count().max(1), message));
    }
    violations
}

fn foreign_words(line: &str) -> impl Iterator<Item = String> {
    let folders = MACHINE_FOLDERS.iter().filter(|folder| names_folder(line, folder));
    let registries = REGISTRIES.iter().filter(|host| names_host(line, host));
    let folders = folders.map(|folder| format!("`{folder}` is a folder of one machine; write a relative path"));
    folders.chain(registries.map(|host| format!("`{host}` is a registry's address; write the package's name only")))
}

/// `../work/` and `art/work/` are somebody's folder names, not the machine's.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c)))
}

fn names_host(line: &str, host: &str) -> bool {
    line.match_indices("://").any(|(at, mark)| {
        let rest = &line[at + mark.len()..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c))).unwrap_or(rest.len());
        rest[..end].strip_suffix(host).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(path, text).iter().map(|v| v.line).collect()
    }

    #[test]
    fn clean_text_passes() {
        assert_eq!(check("a.rs", "fn main() {}\n"), []);
        assert_eq!(check("empty.txt", ""), []);
    }

    #[test]
    fn ends_are_checked() {
        assert_eq!(lines("a.rs", "one\ntwo"), [2]);
        assert_eq!(lines("a.md", "one\n\n"), [2]);
        assert_eq!(lines("a.toml", "one \ntwo\t\nthree\r\n"), [1, 2, 3]);
        assert_eq!(lines(".ci/run", "one \n"), [1]);
        assert_eq!(lines("a.gltf", "one \ntwo"), [] as [usize; 0]);
    }

    #[test]
    fn tabs_are_for_other_languages() {
        assert_eq!(lines("a.rs", "\tone\n"), [1]);
        assert_eq!(lines("a.mjs", "\tone\n"), [] as [usize; 0]);
    }

    #[test]
    fn folders_of_a_machine_fail_in_any_file() {
        let folder = MACHINE_FOLDERS[0];
        assert_eq!(lines("a.gltf", &format!("x\ncd {folder}main")), [2]);
        assert_eq!(lines("a.md", &format!("file://{folder}\n")), [1]);
        assert_eq!(lines("a.md", &format!("..{folder}a b{folder}c\n")), [] as [usize; 0]);
    }

    #[test]
    fn registry_hosts_fail_but_names_do_not() {
        for host in REGISTRIES {
            assert_eq!(lines("a.json", &format!("\"https://mirror.{host}/x\"\n")), [1], "{host}");
        }
        assert_eq!(
            lines("a.md", "as on crates.io; https://notcrates.io/ https://github.com/crates.io\n"),
            [] as [usize; 0]
        );
    }
}
