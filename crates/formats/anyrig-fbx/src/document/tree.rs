//! Documents by name: what comparisons and dumps are made of, and edits by paths such as
//! `nodes[Objects].nodes[3].properties[1]`.

use super::{Decoder, FbxDocument, Kind, NewValue, Node, NodeId, Property};
use crate::Element;
use anyrig_bytes::codec::{
    Assignment, Bulk, Field, FieldPath, Item, ItemLayout, Missing, Step, Tree, resolve, text_from_value, text_to_value,
};
use anyrig_bytes::{Buffer, Context, Error, Result, Value};
use bytemuck::Pod;

/// Bytes that a node or a value needs in a tree.
const ENTRY_BYTES: u64 = 128;

/// Nodes with their names and values; arrays are decoded, lengths and offsets left out.
pub(super) fn comparison(document: &FbxDocument, context: &Context) -> Result<Tree> {
    let mut decoder = Decoder::new(context);
    let version = Tree::Leaf(Value::Int(document.version_number().into()));
    let nodes = children(document.root(), context, &mut decoder)?;
    Ok(Tree::Record(vec![("version".into(), version), ("nodes".into(), nodes)]))
}

/// Nesting is bounded by the reader.
fn children(node: Node<'_>, context: &Context, decoder: &mut Decoder<'_>) -> Result<Tree> {
    let mut all = Vec::new();
    for child in node.children() {
        let entries = 1 + child.property_count() as u64;
        context.take_memory(entries.saturating_mul(ENTRY_BYTES), || child.place())?;
        let values: Result<Vec<Tree>> = child.properties().map(|p| value(&p, decoder)).collect();
        let mut members =
            vec![("name".into(), Tree::Leaf(text_to_value(child.name()))), ("properties".into(), Tree::List(values?))];
        if child.children().next().is_some() {
            members.push(("nodes".into(), children(child, context, decoder)?));
        }
        all.push(Tree::Record(members));
    }
    Ok(Tree::List(all))
}

fn value(property: &Property<'_>, decoder: &mut Decoder<'_>) -> Result<Tree> {
    Ok(match property.kind() {
        Kind::I32Array => bulk::<i32>(property, decoder)?,
        Kind::I64Array => bulk::<i64>(property, decoder)?,
        Kind::F32Array => bulk::<f32>(property, decoder)?,
        Kind::F64Array | Kind::NumberArray => bulk::<f64>(property, decoder)?,
        Kind::BoolArray | Kind::ByteArray => bulk::<u8>(property, decoder)?,
        Kind::Raw => Tree::Bulk(Bulk::new(property.shared_bytes().unwrap_or_default(), None)),
        Kind::String | Kind::Word => Tree::Leaf(text_to_value(&property.bytes().unwrap_or_default())),
        Kind::F32 => Tree::Leaf((property.as_f64().unwrap_or_default() as f32).to_value()),
        Kind::F64 => Tree::Leaf(property.as_f64().unwrap_or_default().to_value()),
        Kind::Number => Tree::Leaf(number(property)),
        Kind::Char | Kind::Byte | Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
            Tree::Leaf(Value::Int(property.as_i64().unwrap_or_default()))
        }
    })
}

/// A number of a text, whole where it is.
fn number(property: &Property<'_>) -> Value {
    match (property.as_i64(), property.as_f64()) {
        (Some(whole), Some(number)) if whole as f64 == number => Value::Int(whole),
        (_, number) => number.unwrap_or_default().to_value(),
    }
}

fn bulk<T: Element + Pod + Item + Send + Sync>(property: &Property<'_>, decoder: &mut Decoder<'_>) -> Result<Tree> {
    let values: Buffer<T> = property.array(decoder)?;
    Ok(Tree::Bulk(Bulk::new(values.to_bytes(), Some(ItemLayout::of(T::SCALAR, T::WIDTH)))))
}

/// Sets values, all or none.
pub(super) fn edit(document: &mut FbxDocument, assignments: &[Assignment], context: &Context) -> Result<()> {
    // What was noticed in the file was told when it was read.
    let apart = context.bare();
    let again = |document: &FbxDocument| FbxDocument::read(&document.write()?.to_shared(), &apart);
    let mut edited = again(document)?;
    for assignment in assignments {
        let tree = comparison(&edited, &apart)?;
        let path = resolve(&tree, &without_value(&assignment.path), Missing::Refuse)?;
        Edit { document: &mut edited, assignment, context: &apart }.assign(&path)?;
    }
    *document = again(&edited)?;
    Ok(())
}

/// A path as dissections print it ends in the field of the property's record.
fn without_value(path: &FieldPath) -> FieldPath {
    let mut path = path.clone();
    let is_field = |step: &Step| matches!(step, Step::Name(name) if name == "value" || name == "data");
    if let Some(at) = path.0.iter().position(is_field).filter(|at| *at > 0) {
        path.0.remove(at);
    }
    path
}

struct Edit<'e> {
    document: &'e mut FbxDocument,
    assignment: &'e Assignment,
    context: &'e Context,
}

impl Edit<'_> {
    fn wrong(&self, why: impl std::fmt::Display) -> Error {
        Error::usage(format!("`{}` cannot be `{}`: {why}", self.assignment.path, self.assignment.shown()))
    }

    fn assign(&mut self, path: &FieldPath) -> Result<()> {
        let (mut node, mut steps) = (NodeId::ROOT, path.0.as_slice());
        while let [Step::Name(list), Step::Index(index), rest @ ..] = steps
            && list == "nodes"
        {
            let child = self.document.node(node).and_then(|n| n.children().nth(*index));
            node = child.map(|n| n.id()).ok_or_else(|| self.wrong("there is no such node"))?;
            steps = rest;
        }
        match steps {
            [Step::Name(list)] if list == "properties" => self.list(node),
            [Step::Name(list), Step::Index(index)] if list == "properties" => {
                let kind = self.kind(node, *index)?;
                let value = self.new_value(kind, &self.assignment.value())?;
                self.document.set(node, *index, value)
            }
            [Step::Name(list), Step::Index(index), Step::Index(element)] if list == "properties" => {
                self.element(node, *index, *element)
            }
            _ => Err(self.wrong("only values are set: properties[0], or properties for all of a node")),
        }
    }

    fn kind(&self, node: NodeId, index: usize) -> Result<Kind> {
        let property = self.document.node(node).and_then(|n| n.property(index));
        property.map(|p| p.kind()).ok_or_else(|| self.wrong("there is no such property"))
    }

    /// All values of a node, of which there may be more or fewer than before. One keeps the type of its place.
    fn list(&mut self, node: NodeId) -> Result<()> {
        let Value::Array(values) = self.assignment.value() else {
            return Err(self.wrong("a list is wanted, such as [1, 2, \"three\"]"));
        };
        let last = self.document.node(node).map_or(0, |n| n.property_count()).saturating_sub(1);
        let mut new = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let is_text = matches!(value, Value::String(_) | Value::Object(_));
            let old = self.kind(node, index.min(last)).ok().filter(|kind| *kind != Kind::String || is_text);
            let fits = old.and_then(|kind| self.new_value(kind, value).ok());
            new.push(match fits {
                Some(value) => value,
                None => self.new_value(self.kind_of(value)?, value)?,
            });
        }
        self.document.set_values(node, new)
    }

    /// The kind that says what a value is.
    fn kind_of(&self, value: &Value) -> Result<Kind> {
        match value {
            Value::Int(whole) if i32::try_from(*whole).is_ok() => Ok(Kind::I32),
            Value::Int(_) => Ok(Kind::I64),
            Value::Float(_) => Ok(Kind::F64),
            Value::String(_) => Ok(Kind::String),
            _ => Err(self.wrong("values are numbers and texts")),
        }
    }

    fn new_value(&self, kind: Kind, value: &Value) -> Result<NewValue> {
        let fits = |e: String| self.wrong(e);
        Ok(match kind {
            Kind::Char => NewValue::Char(u8::from_value(value).map_err(fits)?),
            Kind::I16 => NewValue::I16(i16::from_value(value).map_err(fits)?),
            Kind::I32 => NewValue::I32(i32::from_value(value).map_err(fits)?),
            Kind::I64 => NewValue::I64(i64::from_value(value).map_err(fits)?),
            Kind::F32 => NewValue::F32(f32::from_value(value).map_err(fits)?),
            Kind::F64 => NewValue::F64(f64::from_value(value).map_err(fits)?),
            Kind::Number => match value {
                Value::Int(whole) => NewValue::I64(*whole),
                _ => NewValue::F64(f64::from_value(value).map_err(fits)?),
            },
            Kind::Word => match value {
                Value::String(text) if text.len() == 1 => NewValue::Char(text.as_bytes()[0]),
                _ => return Err(self.wrong("a letter is wanted")),
            },
            Kind::String => NewValue::String(self.text(value)?),
            Kind::Raw | Kind::Byte | Kind::I8 | Kind::ByteArray => {
                return Err(self.wrong("properties of this type are not set"));
            }
            _ => return Err(self.wrong("an array is set element by element, such as properties[0][5]")),
        })
    }

    /// A text; what is no text in JSON is taken as it is spelled.
    fn text(&self, value: &Value) -> Result<Vec<u8>> {
        match value {
            Value::String(_) | Value::Object(_) => text_from_value(value).map_err(|e| self.wrong(e)),
            _ => Ok(self.assignment.text.clone().into_bytes()),
        }
    }

    fn element(&mut self, node: NodeId, index: usize, element: usize) -> Result<()> {
        let kind = self.kind(node, index)?;
        let value = self.assignment.value();
        let new = match kind {
            Kind::I32Array => NewValue::I32Array(self.replaced::<i32>((node, index, element), &value)?),
            Kind::I64Array => NewValue::I64Array(self.replaced::<i64>((node, index, element), &value)?),
            Kind::F32Array => NewValue::F32Array(self.replaced::<f32>((node, index, element), &value)?),
            Kind::F64Array | Kind::NumberArray => {
                NewValue::F64Array(self.replaced::<f64>((node, index, element), &value)?)
            }
            Kind::BoolArray => NewValue::BoolArray(self.replaced::<u8>((node, index, element), &value)?),
            _ => return Err(self.wrong("there is no such element")),
        };
        self.document.set(node, index, new)
    }

    fn replaced<T: Element + Field + Pod + Send + Sync>(
        &self,
        (node, index, element): (NodeId, usize, usize),
        value: &Value,
    ) -> Result<Buffer<T>> {
        let property = self.document.node(node).and_then(|n| n.property(index));
        let property = property.ok_or_else(|| self.wrong("there is no such property"))?;
        let mut values: Buffer<T> = property.array(&mut Decoder::new(self.context))?;
        let value = T::from_value(value).map_err(|e| self.wrong(e))?;
        match values.make_mut().get_mut(element) {
            Some(slot) => *slot = value,
            None => return Err(self.wrong("there is no such element")),
        }
        Ok(values)
    }
}
