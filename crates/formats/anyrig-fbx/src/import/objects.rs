//! Objects and their connections, the same for both object models.
//!
//! From version 7000 on objects have numbers, before that they are named by `Class::Name`; before 6000 they stand at the
//! top of the file and nest. Either way a list of [`Object`]s in file order comes out, with connections between them.

use super::properties::Properties;
use crate::codes;
use crate::document::{FbxDocument, Node, Property};
use anyrig_bytes::{Context, Diagnostic, Error, Place, Result};
use glam::DVec3;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Index of an object, from 0 in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(u32);

impl ObjectId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One object.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// Its id.
    pub id: ObjectId,
    /// What it is: the name of its node, for example `Model`, `Geometry`, `Deformer`.
    pub class: Cow<'a, str>,
    /// What sort of it, for example `Mesh`, `LimbNode`, `Skin`; may be empty.
    pub subtype: Cow<'a, str>,
    /// Its name without the class; need not be unique.
    pub name: String,
    /// Its node, with everything that is not a property.
    pub node: Node<'a>,
    /// Its own properties. Ask [`Objects::property`] to see the template's as well.
    pub properties: Properties<'a>,
    template: Option<usize>,
}

/// What an object is named by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Number(i64),
    Name(Cow<'a, [u8]>),
}

/// What an object may need at most where it is hardly more than its name: its entry here, a node of the scene, maps.
const OBJECT_BYTES: u64 = 2048;
/// Memory that the names of children may need whatever the size of the file.
const CHILDREN_BYTES: u64 = 16 << 20;
/// Memory that objects may need whatever the size of the file.
const FREE_BYTES: u64 = 40 << 20;

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The root of the scene.
    Root,
    /// An object.
    Object(ObjectId),
}

/// A connection between two ends.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Connection<'a> {
    /// The source: the child, the curve, the texture …
    pub source: End,
    /// The source's property, for kinds `PO` and `PP`.
    pub source_property: Option<Cow<'a, str>>,
    /// The destination: the parent, the animated object, the material …
    pub destination: End,
    /// The destination's property, for kinds `OP` and `PP`.
    pub property: Option<Cow<'a, str>>,
}

#[derive(Debug, Default)]
struct TemplateNames {
    first: usize,
    sorts: BTreeMap<String, usize>,
}

/// How connections are spelled: between objects (`O`) and properties (`P`), the source first.
const KINDS: [&str; 4] = ["OO", "OP", "PO", "PP"];

/// What is said of a connection that was left out, with all that it states: from version 7000 on ends are numbers.
fn lost_connection(node: Node<'_>) -> Diagnostic {
    let spell = |property: Property<'_>| match property.as_i64() {
        Some(number) if property.text().is_none() => number.to_string(),
        _ => property.text().unwrap_or_default().into_owned(),
    };
    let subject = node.properties().take(MOST_STATED).map(spell).collect::<Vec<_>>().join(", ");
    let kind = node.text(0).unwrap_or_default();
    if KINDS.contains(&&*kind) {
        return Diagnostic::new(&codes::DANGLING_CONNECTION, subject, "");
    }
    Diagnostic::new(&codes::CONNECTION_KIND, subject, format!("the kind `{kind}` is not known"))
}

/// The kind, two ends and a property for each.
const MOST_STATED: usize = 5;

/// All objects of a file.
#[derive(Debug)]
pub struct Objects<'a> {
    document: &'a FbxDocument,
    list: Vec<Object<'a>>,
    by_key: BTreeMap<Key<'a>, ObjectId>,
    connections: Vec<Connection<'a>>,
    /// Connections into each object, in file order; the last list is that of the root.
    incoming: Vec<Vec<u32>>,
    /// Connections out of each object, in file order.
    outgoing: Vec<Vec<u32>>,
    templates: Vec<Properties<'a>>,
    /// The first template of each class, and the first of each of its sorts, in small letters.
    template_names: BTreeMap<String, TemplateNames>,
    /// Properties whose numbers are not finite, as far as they were asked for.
    not_finite: Mutex<BTreeSet<(ObjectId, String)>>,
}

impl<'a> Objects<'a> {
    /// Reads all objects and connections.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] when there are more than the limits allow.
    pub fn read(document: &'a FbxDocument, context: &Context) -> Result<Self> {
        let mut objects = Self {
            document,
            list: Vec::new(),
            by_key: BTreeMap::new(),
            connections: Vec::new(),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            templates: Vec::new(),
            template_names: BTreeMap::new(),
            not_finite: Mutex::default(),
        };
        objects.read_templates();
        if document.version_number() < 6000 {
            objects.read_top_level(context)?;
        } else {
            for section in document.root().children_named("Objects") {
                for node in section.children() {
                    objects.add(node, context)?;
                }
            }
        }
        objects.name_attributes();
        objects.read_connections(context)?;
        objects.index_connections();
        Ok(objects)
    }

    /// The document.
    pub fn document(&self) -> &'a FbxDocument {
        self.document
    }

    /// True when objects are named, not numbered: versions before 7000.
    pub fn is_named(&self) -> bool {
        self.document.version_number() < 7000
    }

    /// All objects in file order.
    pub fn iter(&self) -> impl Iterator<Item = &Object<'a>> {
        self.list.iter()
    }

    /// All objects of a class in file order.
    pub fn of_class<'s>(&'s self, class: &'s str) -> impl Iterator<Item = &'s Object<'a>> {
        self.list.iter().filter(move |o| o.class == class)
    }

    /// An object. Ids come from this list, so it exists.
    pub fn get(&self, id: ObjectId) -> &Object<'a> {
        &self.list[id.index()]
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The end that a property names by number or by name, as in `PoseNode`'s `Node`.
    pub fn find(&self, property: &Property<'a>) -> Option<End> {
        let key = self.key(property)?;
        if self.is_root(&key) {
            return Some(End::Root);
        }
        self.by_key.get(&key).map(|id| End::Object(*id))
    }

    /// A property of an object: its own, else that of its template.
    pub fn property(&self, id: ObjectId, name: &str) -> Option<&super::properties::NamedProperty<'a>> {
        let object = self.get(id);
        object.properties.get(name).or_else(|| self.templates.get(object.template?)?.get(name))
    }

    /// A number; the default when the file has none.
    pub fn f64(&self, id: ObjectId, name: &str, default: f64) -> f64 {
        self.property(id, name).and_then(|property| self.finite(id, property)).unwrap_or(default)
    }

    /// A number that stands in a property or, in old files, in a child of the object; the default when it has neither.
    pub(super) fn f64_or_inline(&self, id: ObjectId, name: &str, default: f64) -> f64 {
        let inline = || self.get(id).node.child(name)?.f64(0).filter(|value| value.is_finite());
        self.property(id, name).and_then(|property| self.finite(id, property)).or_else(inline).unwrap_or(default)
    }

    /// The first number of a property, which is told of when it is not finite.
    pub(super) fn finite(&self, id: ObjectId, property: &super::properties::NamedProperty<'a>) -> Option<f64> {
        let value = property.f64(0);
        if value.is_none() {
            self.note(id, property);
        }
        value
    }

    /// A whole number.
    pub fn i64(&self, id: ObjectId, name: &str, default: i64) -> i64 {
        self.property(id, name).and_then(super::properties::NamedProperty::i64).unwrap_or(default)
    }

    /// A truth value.
    pub fn bool(&self, id: ObjectId, name: &str, default: bool) -> bool {
        self.property(id, name).and_then(super::properties::NamedProperty::bool).unwrap_or(default)
    }

    /// Three numbers.
    pub fn vec3(&self, id: ObjectId, name: &str, default: DVec3) -> DVec3 {
        let Some(property) = self.property(id, name) else { return default };
        property.vec3().unwrap_or_else(|| {
            self.note(id, property);
            default
        })
    }

    /// Keeps in mind that the default stood in for a property, when its numbers are not finite.
    pub(super) fn note(&self, id: ObjectId, property: &super::properties::NamedProperty<'a>) {
        if property.has_non_finite() {
            self.not_finite.lock().unwrap_or_else(PoisonError::into_inner).insert((id, property.name().to_owned()));
        }
    }

    /// Tells of properties whose numbers are not finite and that the default stood in for.
    pub(super) fn tell_not_finite(&self, context: &Context) {
        for (id, name) in &*self.not_finite.lock().unwrap_or_else(PoisonError::into_inner) {
            let subject = format!("{}: {name}", self.get(*id).name);
            context.push(Diagnostic::new(&codes::PROPERTY_NUMBER, subject, "").at(self.place(*id)));
        }
    }

    /// A text.
    pub fn text(&self, id: ObjectId, name: &str) -> Option<Cow<'a, str>> {
        self.property(id, name).and_then(super::properties::NamedProperty::text)
    }

    /// All connections in file order.
    pub fn connections(&self) -> &[Connection<'a>] {
        &self.connections
    }

    /// Connections into an end, in file order.
    pub fn into(&self, end: End) -> impl Iterator<Item = &Connection<'a>> {
        let list = match end {
            End::Root => self.incoming.last(),
            End::Object(id) => self.incoming.get(id.index()),
        };
        list.into_iter().flatten().filter_map(|index| self.connections.get(*index as usize))
    }

    /// Connections out of an object, in file order.
    pub fn out_of(&self, id: ObjectId) -> impl Iterator<Item = &Connection<'a>> {
        let list = self.outgoing.get(id.index());
        list.into_iter().flatten().filter_map(|index| self.connections.get(*index as usize))
    }

    /// Objects that are connected to an end as a whole (`OO`), in the order of the connections: children of a model,
    /// clusters of a skin, materials of a model …
    pub fn children(&self, end: End) -> impl Iterator<Item = &Object<'a>> {
        let plain = self.into(end).filter(|c| c.property.is_none() && c.source_property.is_none());
        plain.filter_map(|c| self.object_at(c.source))
    }

    /// Objects that an object is connected to as a whole (`OO`).
    pub fn parents(&self, id: ObjectId) -> impl Iterator<Item = &Object<'a>> {
        let plain = self.out_of(id).filter(|c| c.property.is_none() && c.source_property.is_none());
        plain.filter_map(|c| self.object_at(c.destination))
    }

    /// Objects that are connected to a property of an object (`OP`), with the property's name: textures of a material,
    /// curves of a curve node …
    pub fn property_sources(&self, id: ObjectId) -> impl Iterator<Item = (&str, &Object<'a>)> {
        self.into(End::Object(id)).filter_map(|c| Some((c.property.as_deref()?, self.object_at(c.source)?)))
    }

    fn object_at(&self, end: End) -> Option<&Object<'a>> {
        match end {
            End::Object(id) => self.list.get(id.index()),
            End::Root => None,
        }
    }

    fn read_templates(&mut self) {
        let Self { document, templates, template_names, .. } = self;
        for object_type in document.root().children_named("Definitions").flat_map(|n| n.children_named("ObjectType")) {
            let Some(class) = object_type.text(0) else { continue };
            if object_type.child("PropertyTemplate").is_none() {
                continue;
            }
            let first = TemplateNames { first: templates.len(), ..TemplateNames::default() };
            let names = template_names.entry(class.into_owned()).or_insert(first);
            for template in object_type.children_named("PropertyTemplate") {
                let name = template.text(0).unwrap_or_default();
                let sort = name.strip_prefix("Fbx").unwrap_or(&name).to_ascii_lowercase();
                names.sorts.entry(sort).or_insert(templates.len());
                templates.push(Properties::of(template));
            }
        }
    }

    /// The template of a class; where a class has sorts with templates of their own, only that of the sort.
    fn template(&self, class: &str, subtype: &str, node: Node<'a>) -> Option<usize> {
        let names = self.template_names.get(class)?;
        let mut sort = match class {
            "NodeAttribute" | "Geometry" => subtype.to_owned(),
            "Material" => {
                let model = node.child("ShadingModel").and_then(|n| n.text(0)).unwrap_or_default();
                format!("Surface{model}")
            }
            _ => return Some(names.first),
        };
        sort.make_ascii_lowercase();
        names.sorts.get(&sort).copied()
    }

    fn add(&mut self, node: Node<'a>, context: &Context) -> Result<()> {
        let named = self.is_named();
        let Some(identity) = node.property(0) else { return Ok(()) };
        let (name_at, subtype_at) = if named { (0, 1) } else { (1, 2) };
        let name = node.property(name_at).and_then(|p| p.name_and_class()).map(|(name, _)| name.into_owned());
        let subtype = node.text(subtype_at).unwrap_or_default();
        let Some(key) = self.key(&identity) else { return Ok(()) };
        context.take_elements(1, || node.place())?;
        let class = node.name_text();
        let template = self.template(&class, &subtype, node);
        let (name, properties) = (name.unwrap_or_default(), Properties::of(node));
        self.check_count(node)?;
        self.push(key, Object { id: ObjectId(0), class, subtype, name, node, properties, template }, context);
        Ok(())
    }

    /// Before version 7000 an attribute is part of its model, but connections may name it.
    fn name_attributes(&mut self) {
        if !self.is_named() {
            return;
        }
        for object in &self.list {
            let name = object.node.child("NodeAttributeName").and_then(|n| n.property(0));
            if let Some(key) = name.and_then(|name| self.key(&name)) {
                self.by_key.entry(key).or_insert(object.id);
            }
        }
    }

    /// A file of any program has far fewer objects for its size than these; more of them are there to fill memory.
    fn check_count(&self, node: Node<'_>) -> Result<()> {
        let bytes = self.document.source_len();
        if (self.list.len() as u64).saturating_mul(OBJECT_BYTES) > FREE_BYTES + bytes.saturating_mul(8) {
            return Err(Error::limit(node.place(), format!("more objects than a file of {bytes} bytes has room for")));
        }
        Ok(())
    }

    fn push(&mut self, key: Key<'a>, mut object: Object<'a>, context: &Context) {
        object.id = ObjectId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        let known = self.by_key.entry(key).or_insert(object.id);
        if *known != object.id {
            let line = Diagnostic::new(&codes::DUPLICATE_ID, object.name.clone(), "connections go to the first one");
            context.push(line.at(object.node.place()));
        }
        self.list.push(object);
    }

    /// Versions before 6000: models stand at the top. What nests in them is left to those who read models.
    fn read_top_level(&mut self, context: &Context) -> Result<()> {
        for node in self.document.root().children_named("Model") {
            self.add(node, context)?;
        }
        for object in &mut self.list {
            object.subtype = object.node.child("Type").and_then(|n| n.text(0)).unwrap_or_default();
        }
        Ok(())
    }

    fn key(&self, property: &Property<'a>) -> Option<Key<'a>> {
        if self.is_named() { property.bytes().map(Key::Name) } else { property.as_i64().map(Key::Number) }
    }

    fn is_root(&self, key: &Key<'a>) -> bool {
        match key {
            Key::Number(number) => *number == 0,
            Key::Name(name) => **name == b"Model::Scene"[..] || **name == b"Scene\0\x01Model"[..],
        }
    }

    fn read_connections(&mut self, context: &Context) -> Result<()> {
        let sections = || self.document.root().children_named("Connections");
        self.connections.reserve_exact(sections().map(|section| section.children().count()).sum());
        for section in sections() {
            for node in section.children() {
                context.take_elements(1, || node.place())?;
                match self.connection(node) {
                    Some(connection) => self.connections.push(connection),
                    None => context.push(lost_connection(node).at(node.place())),
                }
            }
        }
        if self.document.version_number() < 6000 {
            self.nested_children(context)?;
        }
        Ok(())
    }

    fn connection(&self, node: Node<'a>) -> Option<Connection<'a>> {
        let kind = node.text(0)?;
        let end = |index: usize| self.find(&node.property(index)?);
        let (source_property, destination_at) = match &*kind {
            "OO" | "OP" => (None, 2),
            "PO" | "PP" => (Some(node.text(2)?), 3),
            _ => return None,
        };
        let property = if kind.ends_with('P') { Some(node.text(destination_at + 1)?) } else { None };
        Some(Connection { source: end(1)?, source_property, destination: end(destination_at)?, property })
    }

    /// Versions before 6000: a model lists the names of its children.
    fn nested_children(&mut self, context: &Context) -> Result<()> {
        let mut found = Vec::new();
        for parent in &self.list {
            for child in parent.node.children_named("Children").flat_map(|n| n.properties()) {
                context.take_elements(1, || child.place())?;
                if child.kind() != crate::document::Kind::String {
                    return Err(Error::malformed(child.place(), "the name of a child is not in quotes"));
                }
                let Some(source) = self.find(&child) else { continue };
                self.check_children(found.len(), &child)?;
                let destination = End::Object(parent.id);
                found.push(Connection { source, source_property: None, destination, property: None });
            }
        }
        self.connections.extend(found);
        Ok(())
    }

    /// Names may be shorter than what stands for them here; a model is the child of one other.
    fn check_children(&self, count: usize, child: &Property<'_>) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size_of::<Connection<'_>>() as u64);
        let len = self.document.source_len();
        if bytes > CHILDREN_BYTES + len.saturating_mul(4) {
            return Err(Error::limit(child.place(), format!("more children than a file of {len} bytes has room for")));
        }
        Ok(())
    }

    fn index_connections(&mut self) {
        let count = self.list.len();
        (self.incoming, self.outgoing) = (vec![Vec::new(); count + 1], vec![Vec::new(); count]);
        for (index, connection) in self.connections.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let into = match connection.destination {
                End::Root => count,
                End::Object(id) => id.index(),
            };
            if let Some(list) = self.incoming.get_mut(into) {
                list.push(index);
            }
            if let End::Object(id) = connection.source
                && let Some(list) = self.outgoing.get_mut(id.index())
            {
                list.push(index);
            }
        }
    }

    /// Where an object stands in the file.
    pub fn place(&self, id: ObjectId) -> Place {
        self.get(id).node.place()
    }
}
