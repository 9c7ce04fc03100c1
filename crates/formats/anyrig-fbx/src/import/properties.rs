//! The named properties of an object: `Properties70` (`P`) and `Properties60` (`Property`).

use crate::document::{Kind, Node, Property};
use anyrig_bytes::Value;
use glam::DVec3;
use std::borrow::Cow;

/// The named properties of one object, or of a template. Lookup is by binary search; nothing is decoded before it is
/// asked for.
#[derive(Clone, Debug, Default)]
pub struct Properties<'a> {
    /// Ascending by name, one each.
    list: Vec<NamedProperty<'a>>,
}

/// One named property.
#[derive(Clone, Debug)]
pub struct NamedProperty<'a> {
    name: Cow<'a, str>,
    /// Decides most comparisons without a look at the name, which lies in the file.
    head: u128,
    node: Node<'a>,
    /// Index of the first value: 4 after name, type, subtype and flags; 3 in versions before 7000, which have no subtype.
    first: u8,
    // Told once: every object is asked for what users attached.
    is_user: bool,
    is_hidden: bool,
}

impl<'a> Properties<'a> {
    /// Reads the list in a node; empty when it has none. Of several entries of one name the last one counts.
    pub fn of(node: Node<'a>) -> Self {
        let mut list = Vec::new();
        for (section, entry, first) in [("Properties60", "Property", 3), ("Properties70", "P", 4)] {
            let entries = node.children_named(section).flat_map(|section| section.children_named(entry));
            list.extend(entries.filter_map(|node| NamedProperty::new(node, first)));
        }
        // Stable, so that the last of equal names stays last.
        list.sort_by(|a: &NamedProperty<'_>, b| a.head.cmp(&b.head).then_with(|| a.name.cmp(&b.name)));
        list.dedup_by(|later, kept| {
            let is_same = later.head == kept.head && later.name == kept.name;
            if is_same {
                std::mem::swap(later, kept);
            }
            is_same
        });
        Self { list }
    }

    /// A property by its exact name.
    pub fn get(&self, name: &str) -> Option<&NamedProperty<'a>> {
        let head = head(name);
        let order = |entry: &NamedProperty<'_>| entry.head.cmp(&head).then_with(|| (*entry.name).cmp(name));
        let index = self.list.binary_search_by(order).ok()?;
        self.list.get(index)
    }

    /// All properties by name.
    pub fn iter(&self) -> impl Iterator<Item = &NamedProperty<'a>> {
        self.list.iter()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Those that are wanted as data by name; `None` when there are none. Book [`Self::value_bytes`] first.
    pub(super) fn to_value(&self, is_wanted: fn(&NamedProperty<'_>) -> bool) -> Option<Value> {
        self.members(is_wanted, NamedProperty::to_value)
    }

    /// What users attached, as they typed it. Book [`Self::value_bytes`] first.
    pub(super) fn user_data(&self) -> Option<Value> {
        self.members(NamedProperty::is_attached, NamedProperty::to_user_value)
    }

    fn members(
        &self,
        is_wanted: impl Fn(&NamedProperty<'a>) -> bool,
        to_value: impl Fn(&NamedProperty<'a>) -> Option<Value>,
    ) -> Option<Value> {
        let wanted = self.list.iter().filter(|property| is_wanted(property));
        // Names are unique, so they need not be looked up.
        let members: Vec<(String, Value)> =
            wanted.filter_map(|property| Some((property.name().to_owned(), to_value(property)?))).collect();
        (!members.is_empty()).then_some(Value::Object(members))
    }

    /// The most memory that the data of those that are wanted need.
    pub(super) fn value_bytes(&self, is_wanted: fn(&NamedProperty<'_>) -> bool) -> usize {
        // Lists grow by doubling.
        const MEMBER: usize = 2 * size_of::<(String, Value)>();
        let wanted = self.list.iter().filter(|property| is_wanted(property));
        wanted.map(|property| MEMBER + property.name().len() + property.value_bytes()).sum()
    }
}

/// The first bytes of a name as a number that orders like them; shorter names end with zeros.
fn head(name: &str) -> u128 {
    const LEN: usize = size_of::<u128>();
    let name = name.as_bytes();
    if let Some(head) = name.first_chunk::<LEN>() {
        return u128::from_be_bytes(*head);
    }
    let mut head = [0; LEN];
    head[..name.len()].copy_from_slice(name);
    u128::from_be_bytes(head)
}

/// Types of whole numbers.
const WHOLE: [&str; 14] = [
    "Byte",
    "Enum",
    "Int",
    "Integer",
    "LongLong",
    "Short",
    "UByte",
    "UInteger",
    "ULongLong",
    "UShort",
    "enum",
    "int",
    "uint",
    "ulonglong",
];

impl<'a> NamedProperty<'a> {
    fn new(node: Node<'a>, first: u8) -> Option<Self> {
        let name = node.text(0)?;
        let flags = node.property(usize::from(first) - 1).and_then(|flags| flags.bytes()).unwrap_or_default();
        let head = head(&name);
        Some(Self { name, head, node, first, is_user: flags.contains(&b'U'), is_hidden: flags.contains(&b'H') })
    }

    /// Index of the first value in the node.
    fn first(&self) -> usize {
        self.first.into()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type as the file spells it, for example `Lcl Translation`, `Color`, `KString`.
    pub fn type_name(&self) -> Cow<'a, str> {
        self.node.text(1).unwrap_or_default()
    }

    /// The flags: `A` animatable, `A+` animated, `U` user-defined, `H` hidden.
    pub fn flags(&self) -> Cow<'a, str> {
        self.node.text(self.first() - 1).unwrap_or_default()
    }

    /// True when a user made it.
    pub fn is_user(&self) -> bool {
        self.is_user
    }

    /// True when a user made it and sees it; programs hide what they keep there for themselves.
    pub fn is_attached(&self) -> bool {
        self.is_user && !self.is_hidden
    }

    /// True when it holds bytes that only a program understands.
    pub(super) fn is_raw(&self) -> bool {
        self.type_name() == "Blob"
    }

    /// The node that holds it.
    pub fn node(&self) -> Node<'a> {
        self.node
    }

    /// The values, as they stand.
    pub fn values(&self) -> impl Iterator<Item = Property<'a>> + use<'a> {
        self.node.properties().skip(self.first())
    }

    /// A value as a number; infinite ones and those that are none are missing.
    pub fn f64(&self, index: usize) -> Option<f64> {
        self.node.f64(self.first().checked_add(index)?).filter(|v| v.is_finite())
    }

    /// The first value as a whole number.
    pub fn i64(&self) -> Option<i64> {
        self.node.i64(self.first())
    }

    /// The first value as a truth value; the letters `F` and `N` are false.
    pub fn bool(&self) -> Option<bool> {
        let value = self.node.property(self.first())?;
        match value.kind() {
            Kind::Char | Kind::Word => value.as_char().map(|c| !matches!(c, 0 | b'F' | b'N' | b'0')),
            _ => value.as_f64().map(|v| v != 0.0),
        }
    }

    /// The first value as a text.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        self.node.text(self.first())
    }

    /// All values as data: a number, a list of numbers or a text; `None` for a property that only holds a place.
    fn to_value(&self) -> Option<Value> {
        let mut numbers = Vec::with_capacity(self.count());
        numbers.extend(self.values().map_while(|v| v.as_f64()).filter(|v| v.is_finite()).map(Value::from));
        match (numbers.len(), self.text()) {
            (0, Some(text)) => Some(Value::from(text.into_owned())),
            (0, None) => None,
            (1, _) => numbers.into_iter().next(),
            _ => Some(Value::Array(numbers)),
        }
    }

    /// As [`Self::to_value`], with truth values and whole numbers where the type says so, and without raw bytes.
    fn to_user_value(&self) -> Option<Value> {
        let typed = match &*self.type_name() {
            "Blob" => return None,
            "Bool" | "bool" => self.bool().map(Value::from),
            name if WHOLE.contains(&name) => self.i64().map(Value::from),
            _ => None,
        };
        typed.or_else(|| self.to_value())
    }

    /// Number of values.
    fn count(&self) -> usize {
        self.node.property_count().saturating_sub(self.first())
    }

    fn value_bytes(&self) -> usize {
        self.count() * size_of::<Value>() + self.text().map_or(0, |text| text.len())
    }

    /// True when a number among the values is infinite or none.
    pub(super) fn has_non_finite(&self) -> bool {
        self.values().filter_map(|v| v.as_f64()).any(|v| !v.is_finite())
    }

    /// The first three values.
    pub fn vec3(&self) -> Option<DVec3> {
        Some(DVec3::new(self.f64(0)?, self.f64(1)?, self.f64(2)?))
    }
}
