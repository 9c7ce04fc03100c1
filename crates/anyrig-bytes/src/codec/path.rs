//! Field paths such as `bones[Hips].position[1]`, and finding them in a tree.

use super::tree::{Bulk, Tree};
use crate::{Error, Result, Value};
use std::fmt;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member.
    Name(String),
    /// An element, counted from 0.
    Index(usize),
    /// The element whose member `name` is this text.
    Key(String),
}

/// A path as a person writes it: names with dots between them, `[3]` for an element, `[Hips]` or `["Hips"]` for the
/// element of that name. A name with other characters is written `["like this"]` after its record; in quotes brackets and
/// `=` are part of the name, and a backslash takes the quote or backslash after it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(pub Vec<Step>);

impl FieldPath {
    /// Reads a path.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Usage`] when it is not spelled like one.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong =
            |why: &str| Error::usage(format!("`{text}` is no field path: {why}; write it like bones[3].parent"));
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('[') {
                let (step, after) = bracket(after).ok_or_else(|| wrong("a bracket is not closed"))?;
                steps.push(step);
                rest = after;
                continue;
            }
            let after = if steps.is_empty() { rest } else { rest.strip_prefix('.').unwrap_or(rest) };
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            if name.is_empty() {
                return Err(wrong("a name is missing"));
            }
            steps.push(Step::Name(name.to_owned()));
            rest = after;
        }
        if steps.is_empty() { Err(wrong("it is empty")) } else { Ok(Self(steps)) }
    }
}

/// What stands in a bracket, and what follows it.
fn bracket(text: &str) -> Option<(Step, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted_key(quoted);
    }
    let (inside, after) = text.split_once(']')?;
    let digits = !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit());
    let index = if digits { inside.parse().ok() } else { None };
    Some((index.map_or_else(|| Step::Key(inside.to_owned()), Step::Index), after))
}

/// A name up to the quote that ends it with its bracket. A backslash before a quote or a backslash takes that as it is;
/// anywhere else it is itself, as names such as `C:\\bones` have it.
fn quoted_key(text: &str) -> Option<(Step, &str)> {
    let mut key = String::new();
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => {
                let escaped = rest.as_str().chars().next().filter(|c| matches!(c, '"' | '\\'));
                key.push(escaped.unwrap_or('\\'));
                if escaped.is_some() {
                    rest.next();
                }
            }
            '"' if rest.as_str().starts_with(']') => {
                return Some((Step::Key(key), rest.as_str().strip_prefix(']')?));
            }
            other => key.push(other),
        }
    }
    None
}

/// Where the `=` after a path stands. Brackets may hold the sign too: between quotes nothing but the quote that ends the
/// name counts, elsewhere brackets come in pairs.
pub(super) fn sign_after_path(text: &str) -> Option<usize> {
    let (mut depth, mut rest) = (0usize, text);
    while let Some(letter) = rest.chars().next() {
        let at = text.len() - rest.len();
        rest = rest.get(letter.len_utf8()..)?;
        match letter {
            '[' if depth == 0 && rest.starts_with('"') => rest = bracket(rest)?.1,
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Name(name) if position == 0 => f.write_str(name)?,
                Step::Name(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if key.contains(['"', '[', ']', '=']) => {
                    write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?;
                }
                Step::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

/// Whether the last step of a path may name something new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Every step must be there.
    #[default]
    Refuse,
    /// The last name may be new in its record, for formats whose records have free members.
    AddMember,
}

/// What a step can lead into.
enum Here<'t> {
    Tree(&'t Tree),
    Value(&'t Value),
    Items(&'t Bulk),
    Item(&'t Bulk),
    Nothing,
}

/// Follows a path through a tree; names of elements become their indexes.
///
/// # Errors
/// [`crate::ErrorKind::Usage`] that says how far the path leads, and names what is near or what there is.
pub fn resolve(tree: &Tree, path: &FieldPath, missing: Missing) -> Result<FieldPath> {
    let mut done = FieldPath::default();
    let mut here = Here::Tree(tree);
    let last = path.0.len().saturating_sub(1);
    for (position, step) in path.0.iter().enumerate() {
        let record = matches!(here, Here::Tree(Tree::Record(_)) | Here::Value(Value::Object(_)));
        match next(&here, step) {
            Some((step, there)) => {
                done.0.push(step);
                here = there;
            }
            None if missing == Missing::AddMember && position == last && record => {
                let name = match step {
                    Step::Name(name) | Step::Key(name) => name.clone(),
                    Step::Index(index) => index.to_string(),
                };
                done.0.push(Step::Name(name));
            }
            None => return Err(nowhere(path, &done, &here, step)),
        }
    }
    Ok(done)
}

fn next<'t>(here: &Here<'t>, step: &Step) -> Option<(Step, Here<'t>)> {
    match (here, step) {
        (Here::Tree(Tree::Record(members)), Step::Name(name) | Step::Key(name)) => {
            let (_, tree) = members.iter().find(|(key, _)| key == name)?;
            Some((Step::Name(name.clone()), inside(tree)))
        }
        (Here::Tree(Tree::List(items)), step) => {
            let index = match step {
                Step::Index(index) => *index,
                Step::Key(key) => named(items, key)?,
                Step::Name(_) => return None,
            };
            Some((Step::Index(index), inside(items.get(index)?)))
        }
        (Here::Value(Value::Array(items)), Step::Index(index)) => Some((step.clone(), Here::Value(items.get(*index)?))),
        (Here::Value(Value::Object(members)), Step::Name(name) | Step::Key(name)) => {
            let (_, value) = members.iter().find(|(key, _)| key == name)?;
            Some((Step::Name(name.clone()), Here::Value(value)))
        }
        (Here::Items(bulk), Step::Index(index)) => {
            let layout = bulk.layout.as_ref()?;
            (*index < layout.count(bulk.bytes.len())).then_some((step.clone(), Here::Item(bulk)))
        }
        (Here::Item(bulk), Step::Name(name)) => {
            let known = bulk.layout.as_ref()?.fields.iter().any(|f| f.name == *name);
            known.then(|| (step.clone(), Here::Nothing))
        }
        (Here::Item(_) | Here::Nothing, Step::Index(_)) => Some((step.clone(), Here::Nothing)),
        _ => None,
    }
}

fn inside(tree: &Tree) -> Here<'_> {
    match tree {
        Tree::Leaf(value) => Here::Value(value),
        Tree::Bulk(bulk) => Here::Items(bulk),
        other => Here::Tree(other),
    }
}

/// The first element whose member `name` is this text.
fn named(items: &[Tree], key: &str) -> Option<usize> {
    items.iter().position(|item| matches!(item.get("name"), Some(Tree::Leaf(Value::String(name))) if name == key))
}

/// At most so many names are listed.
const LISTED: usize = 12;

fn nowhere(path: &FieldPath, done: &FieldPath, here: &Here<'_>, step: &Step) -> Error {
    let before = if done.0.is_empty() { "the file".to_owned() } else { format!("`{done}`") };
    let names = names_in(here);
    let with = |step: Step| {
        let mut near = done.clone();
        near.0.push(step);
        near.to_string()
    };
    let count = count_in(here);
    let why = match (step, count) {
        (Step::Index(_), Some(0)) => format!("{before} has no elements"),
        (Step::Index(_), Some(1)) => format!("{before} has one element; did you mean `{}`?", with(Step::Index(0))),
        (Step::Index(_), Some(count)) => {
            format!("{before} has {count} elements; the nearest is `{}`", with(Step::Index(count - 1)))
        }
        (Step::Name(name) | Step::Key(name), _) => match nearest(name, names.iter().map(String::as_str)) {
            Some(near) if count.is_some() => {
                format!("{before} has no such element; did you mean `{}`?", with(Step::Key(near.to_owned())))
            }
            Some(near) => format!("did you mean `{}`?", with(Step::Name(near.to_owned()))),
            None => listed(&before, &names, count),
        },
        (Step::Index(_), None) => listed(&before, &names, count),
    };
    Error::usage(format!("there is no `{path}`: {why}"))
}

fn listed(before: &str, names: &[String], count: Option<usize>) -> String {
    if names.is_empty() {
        return match count {
            Some(0) => format!("{before} has no elements"),
            Some(count) => format!("{before} has {count} elements, [0] to [{}]", count - 1),
            None => format!("{before} has nothing inside that can be named"),
        };
    }
    let shown: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
    let more = if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    format!("{before} has {}{more}", shown.join(", "))
}

fn names_in(here: &Here<'_>) -> Vec<String> {
    match here {
        Here::Tree(Tree::Record(members)) => members.iter().map(|(key, _)| key.to_string()).collect(),
        Here::Tree(Tree::List(items)) => items
            .iter()
            .filter_map(|item| match item.get("name") {
                Some(Tree::Leaf(Value::String(name))) => Some(name.clone()),
                _ => None,
            })
            .collect(),
        Here::Value(Value::Object(members)) => members.iter().map(|(key, _)| key.clone()).collect(),
        Here::Item(bulk) => {
            let fields = bulk.layout.iter().flat_map(|l| &l.fields);
            fields.map(|f| f.name.to_string()).filter(|n| !n.is_empty()).collect()
        }
        _ => Vec::new(),
    }
}

fn count_in(here: &Here<'_>) -> Option<usize> {
    match here {
        Here::Tree(Tree::List(items)) => Some(items.len()),
        Here::Value(Value::Array(items)) => Some(items.len()),
        Here::Items(bulk) => bulk.layout.as_ref().map(|l| l.count(bulk.bytes.len())),
        _ => None,
    }
}

/// The candidate that was probably meant: at most two fifths of the characters differ (two that changed places count once,
/// case does not count). Ties go to the earlier one.
fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Longer names are not typed by hand.
    const LONGEST: usize = 64;
    let wanted: Vec<char> = wanted.to_lowercase().chars().take(LONGEST).collect();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let letters: Vec<char> = name.to_lowercase().chars().take(LONGEST).collect();
        let allowed = wanted.len().max(letters.len()) * 2 / 5;
        let apart = distance(&wanted, &letters);
        if apart <= allowed.max(1) && apart < wanted.len() && best.is_none_or(|(least, _)| apart < least) {
            best = Some((apart, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Levenshtein distance in which two neighbours that changed places count once (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    // Rows for the last two characters of `a`, and the current one.
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        rows.rotate_left(1);
        let [before, last, row] = &mut rows;
        row.clear();
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(last, j) + usize::from(x != y)).min(at(last, j + 1) + 1).min(at(row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                least = least.min(at(before, j - 1) + 1);
            }
            row.push(least);
        }
    }
    rows[2].last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{ItemLayout, Scalar};

    fn sample() -> Tree {
        let json = r#"{"bones":[{"name":"Hips","position":[0,1,0]},{"name":"left arm","position":[0,1,0]}],"count":2}"#;
        let mut tree = Tree::from(serde_json::from_str::<Value>(json).expect("JSON"));
        let layout = ItemLayout::default().with("position", Scalar::F32, 3).with("uv", Scalar::F32, 2);
        let bulk = Bulk { bytes: vec![0; 60].into(), layout: Some(layout) };
        if let Tree::Record(members) = &mut tree {
            members.push(("vertices".into(), Tree::Bulk(bulk)));
        }
        tree
    }

    fn find(path: &str) -> Result<String> {
        resolve(&sample(), &FieldPath::parse(path)?, Missing::Refuse).map(|p| p.to_string())
    }

    #[test]
    fn names_and_indexes_lead_to_the_same_place() {
        for path in ["bones[1].position[2]", "bones[left arm].position[2]", "bones[\"left arm\"].position[2]"] {
            assert_eq!(find(path).as_deref(), Ok("bones[1].position[2]"));
        }
        assert_eq!(find("vertices[2].uv[1]").as_deref(), Ok("vertices[2].uv[1]"));
        assert_eq!(find("count").as_deref(), Ok("count"));
    }

    #[test]
    fn a_wrong_path_names_the_nearest() {
        let cases = [
            ("bone[0].position", "`bones`"),
            ("bones[7].position", "`bones[1]`"),
            ("bones[Hip].position", "`bones[Hips]`"),
            ("bones[0].positon", "`bones[0].position`"),
            ("bones[0].zzz", "name, position"),
            ("bones[0].position[3]", "`bones[0].position[2]`"),
            ("vertices[3]", "`vertices[2]`"),
            ("vertices[0].pos", "position, uv"),
            ("count.x", "nothing inside"),
        ];
        for (path, hint) in cases {
            let error = find(path).expect_err(path);
            assert!(error.message().contains(hint), "{path}: {error}");
            assert_eq!(error.kind(), crate::ErrorKind::Usage);
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "a..b", "a[", "a[\"x]", ".a"] {
            assert!(FieldPath::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_in_quotes_hold_anything() {
        let names = [
            ("a[b", r#"nodes["a[b"].x"#),
            ("a]=b", r#"nodes["a]=b"].x"#),
            ("x\"]y", r#"nodes["x\"]y"].x"#),
            ("x\\", r#"nodes["x\\"].x"#),
            ("C:\\x", r#"nodes["C:\x"].x"#),
            ("\"", r#"nodes["""].x"#),
        ];
        for (name, text) in names {
            let path = FieldPath::parse(text).expect(text);
            assert_eq!(path.0.get(1), Some(&Step::Key(name.to_owned())), "{text}");
            assert_eq!(FieldPath::parse(&path.to_string()).as_ref(), Ok(&path), "{path}");
            let set = format!("{text}=a]=\"b[");
            assert_eq!(sign_after_path(&set), Some(text.len()), "{set}");
        }
        assert_eq!(sign_after_path("a[b=c].d=e"), Some(8), "without quotes brackets come in pairs");
        assert_eq!(sign_after_path("a[\"b]=c"), None);
    }

    #[test]
    fn only_the_last_name_may_be_new() {
        let find = |text: &str| resolve(&sample(), &FieldPath::parse(text).expect("a path"), Missing::AddMember);
        assert_eq!(find("bones[0].scale").map(|p| p.to_string()).as_deref(), Ok("bones[0].scale"));
        assert!(find("bone[0].scale").is_err());
        assert!(find("count.x").is_err());
    }

    #[test]
    fn distances() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!([d("", "abc"), d("kitten", "sitting"), d("a", "a"), d("nmae", "name")], [3, 3, 0, 1]);
        assert_eq!([d("abc", ""), d("abcd", "badc"), d("", "")], [3, 2, 0]);
    }
}
