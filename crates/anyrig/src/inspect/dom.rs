//! What a file says in its own terms, line by line.

use crate::Registry;
use crate::convert::read_document;
use anyrig_bytes::codec::{Arrays, Bulk, Tree, to_json};
use anyrig_bytes::{Context, Place, Result, Source, Value};

/// A line of a file's own tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DomLine {
    /// How deep it lies.
    pub depth: usize,
    /// A name, and what stands there.
    pub text: String,
}

/// The lines of a file with the standard registry; see [`Registry::dom`].
///
/// # Errors
/// As [`Registry::dom`].
pub fn dom(source: &dyn Source, from: Option<&str>, elements: usize, context: &Context) -> Result<Vec<DomLine>> {
    Registry::standard().dom(source, from, elements, context)
}

impl Registry {
    /// What a file says in its own terms, before any of it is understood: the nodes of an FBX file with their values, the
    /// members of JSON, the records of a binary file. Lengths and offsets may be left out, arrays are decoded; of each the
    /// first `elements` are shown.
    ///
    /// # Errors
    /// Whatever makes the file unusable; unsupported for formats that have no such tree.
    pub fn dom(
        &self,
        source: &dyn Source,
        from: Option<&str>,
        elements: usize,
        context: &Context,
    ) -> Result<Vec<DomLine>> {
        let importer = self.importer_for(from, source)?;
        let document = read_document(importer, source, context)?;
        let tree = document.comparison(context).map_err(|e| e.in_file(source.name()))?;
        // Every line has a name and repeats values that stand in the file.
        context.take_memory((source.bytes().len() as u64).saturating_mul(8), Place::whole)?;
        let mut lines = Lines { lines: Vec::new(), elements };
        lines.members(&tree, 0)?;
        Ok(lines.lines)
    }
}

struct Lines {
    lines: Vec<DomLine>,
    elements: usize,
}

impl Lines {
    fn put(&mut self, depth: usize, text: String) {
        self.lines.push(DomLine { depth, text });
    }

    /// What lies in a record or a list. Readers bound how deep that is.
    fn members(&mut self, tree: &Tree, depth: usize) -> Result<()> {
        match tree {
            Tree::Record(members) => members.iter().try_for_each(|(name, member)| self.member(name, member, depth)),
            Tree::List(items) => items.iter().enumerate().try_for_each(|(index, item)| match node(item) {
                Some(node) => self.node(&node, depth),
                None => self.member(&format!("[{index}]"), item, depth),
            }),
            Tree::Leaf(_) | Tree::Bulk(_) => Ok(()),
        }
    }

    fn member(&mut self, name: &str, tree: &Tree, depth: usize) -> Result<()> {
        match tree {
            Tree::Leaf(_) | Tree::Bulk(_) => {
                let value = self.value(tree)?;
                self.put(depth, format!("{name}: {value}"));
                Ok(())
            }
            // A list of named nodes needs no name of its own.
            Tree::List(items) if items.iter().all(|item| node(item).is_some()) && !items.is_empty() => {
                self.members(tree, depth)
            }
            Tree::Record(_) | Tree::List(_) => {
                self.put(depth, name.to_owned());
                self.members(tree, depth + 1)
            }
        }
    }

    fn node(&mut self, node: &Named<'_>, depth: usize) -> Result<()> {
        let values: Vec<String> = node.values.iter().map(|value| self.value(value)).collect::<Result<_>>()?;
        self.put(depth, format!("{}: {}", node.name, values.join(", ")).trim_end().to_owned());
        node.children.map_or(Ok(()), |children| self.members(children, depth + 1))
    }

    fn value(&self, tree: &Tree) -> Result<String> {
        match tree {
            Tree::Leaf(value) => json(value),
            Tree::Bulk(bulk) => self.array(bulk),
            Tree::Record(_) | Tree::List(_) => Ok("…".to_owned()),
        }
    }

    /// Its length, and its first elements if it is known what they are.
    fn array(&self, bulk: &Bulk) -> Result<String> {
        let Some(layout) = &bulk.layout else { return Ok(format!("{} bytes", bulk.bytes.len())) };
        let count = layout.count(bulk.bytes.len());
        let shown = (0..count.min(self.elements)).filter_map(|i| layout.item(&bulk.bytes, i));
        let shown: Vec<String> = shown.map(|value| json(&value)).collect::<Result<_>>()?;
        let more = if count > self.elements { ", …" } else { "" };
        Ok(format!("*{count} [{}{more}]", shown.join(", ")))
    }
}

/// A record of formats that are trees of named nodes with values, as FBX is.
struct Named<'t> {
    name: &'t str,
    values: &'t [Tree],
    children: Option<&'t Tree>,
}

fn node(tree: &Tree) -> Option<Named<'_>> {
    let Some(Tree::Leaf(Value::String(name))) = tree.get("name") else { return None };
    let values = tree.get("properties")?.as_list()?;
    Some(Named { name, values, children: tree.get("nodes") })
}

fn json(value: &Value) -> Result<String> {
    let text = to_json(&Tree::Leaf(value.clone()), Arrays::default())?;
    Ok(String::from_utf8_lossy(&text).trim_end().to_owned())
}

#[cfg(all(test, feature = "fbx"))]
mod tests {
    use super::*;
    use anyrig_bytes::MemorySource;

    fn lines(name: &str, bytes: &[u8]) -> Vec<String> {
        let source = MemorySource::new(name, bytes.to_vec());
        let lines = dom(&source, None, 2, &Context::new()).expect("a tree");
        lines.iter().map(|line| format!("{}{}", "  ".repeat(line.depth), line.text)).collect()
    }

    #[test]
    fn nodes_stand_with_their_values() {
        let text = b"; FBX 7.4.0 project file\nObjects: {\n Model: 5, \"Model::hip\", \"LimbNode\" {\n  Lcl: *3 { a: 1,2.5,3 }\n }\n}\n";
        assert_eq!(
            lines("a.fbx", text),
            ["version: 7400", "Objects:", "  Model: 5, \"Model::hip\", \"LimbNode\"", "    Lcl: *3 [1.0, 2.5, …]"]
        );
    }
}
