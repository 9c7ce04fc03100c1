//! What differs between two trees, field by field.

use super::tree::{Bulk, Tree};
use super::{ItemField, ItemLayout};
use crate::Value;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// One field that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldDifference {
    /// The field's path.
    pub path: String,
    /// The value in the first file; `None` when it is only in the second, or when the field is an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Value>,
    /// The value in the second file; `None` when it is only in the first, or when the field is an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Value>,
    /// Of an array: how its elements differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<ElementDifferences>,
    /// The difference in words.
    pub message: String,
}

impl FieldDifference {
    /// A difference in words.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), a: None, b: None, elements: None, message: message.into() }
    }

    /// The same difference with the values of the field; `None` where it is missing.
    #[must_use]
    pub fn with_values(mut self, a: Option<Value>, b: Option<Value>) -> Self {
        (self.a, self.b) = (a, b);
        self
    }

    /// The same difference with how the array's elements differ.
    #[must_use]
    pub fn with_elements(mut self, elements: ElementDifferences) -> Self {
        self.elements = Some(elements);
        self
    }
}

/// How the numbers of two arrays differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ElementDifferences {
    /// How many numbers differ.
    pub count: u64,
    /// Out of how many that both have.
    pub of: u64,
    /// The first that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<NumberDifference>,
    /// The one that differs most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<NumberDifference>,
}

/// A number that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NumberDifference {
    /// Its path.
    pub path: String,
    /// The value in the first file.
    pub a: Value,
    /// The value in the second file.
    pub b: Value,
    /// How far the two are apart; `None` when one is not finite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<f64>,
}

impl NumberDifference {
    /// Two numbers and how far they are apart; `None` when one is not finite.
    pub fn new(path: impl Into<String>, a: Value, b: Value, apart: Option<f64>) -> Self {
        Self { path: path.into(), a, b, apart }
    }
}

impl fmt::Display for FieldDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Compares two trees member by member; elements are matched by index. Numbers may lie `tolerance` apart; with 0 they
/// must be equal to the bit.
pub fn diff(a: &Tree, b: &Tree, tolerance: f64) -> Vec<FieldDifference> {
    let mut differ = Differ { tolerance, path: String::new(), found: Vec::new() };
    differ.trees(a, b);
    differ.found
}

struct Differ {
    tolerance: f64,
    path: String,
    found: Vec<FieldDifference>,
}

impl Differ {
    fn within(&mut self, step: impl FnOnce(&mut String), compare: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        step(&mut self.path);
        compare(self);
        self.path.truncate(len);
    }

    fn tell(&mut self, message: String) {
        self.found.push(FieldDifference { path: self.path.clone(), a: None, b: None, elements: None, message });
    }

    fn trees(&mut self, a: &Tree, b: &Tree) {
        match (a, b) {
            (Tree::Leaf(a), Tree::Leaf(b)) => self.values(a, b),
            (Tree::Bulk(a), Tree::Bulk(b)) => self.bulks(a, b),
            (Tree::Record(a), Tree::Record(b)) => self.records(a, b),
            (Tree::List(a), Tree::List(b)) => self.lists(a, b),
            (a, b) => self.tell(format!("{} against {}", what(a), what(b))),
        }
    }

    fn records(&mut self, a: &[(Cow<'static, str>, Tree)], b: &[(Cow<'static, str>, Tree)]) {
        let find = |list: &'_ [(Cow<'static, str>, Tree)], name: &str, at: usize| {
            let same = list.get(at).filter(|(key, _)| key == name);
            same.is_some().then_some(at).or_else(|| list.iter().position(|(key, _)| key == name))
        };
        for (at, (name, tree)) in a.iter().enumerate() {
            let other = find(b, name, at).and_then(|i| b.get(i));
            self.within(
                |path| named(path, name),
                |d| match other {
                    Some((_, other)) => d.trees(tree, other),
                    None => d.only(tree, Side::First),
                },
            );
        }
        for (at, (name, tree)) in b.iter().enumerate() {
            if find(a, name, at).is_none() {
                self.within(|path| named(path, name), |d| d.only(tree, Side::Second));
            }
        }
    }

    fn lists(&mut self, a: &[Tree], b: &[Tree]) {
        if a.len() != b.len() {
            let (longer, side) = if a.len() > b.len() { (a, "first") } else { (b, "second") };
            let extra = longer.get(a.len().min(b.len()));
            let extra = extra.map_or_else(String::new, |tree| format!(", the next in the {side} is {}", what(tree)));
            self.tell(format!("{} elements against {}{extra}", a.len(), b.len()));
        }
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            self.within(|path| path.push_str(&format!("[{index}]")), |d| d.trees(a, b));
        }
    }

    fn only(&mut self, tree: &Tree, side: Side) {
        let words = match side {
            Side::First => "first",
            Side::Second => "second",
        };
        self.tell(format!("only in the {words}: {}", what(tree)));
        if let (Tree::Leaf(value), Some(last)) = (tree, self.found.last_mut()) {
            match side {
                Side::First => last.a = Some(value.clone()),
                Side::Second => last.b = Some(value.clone()),
            }
        }
    }

    fn values(&mut self, a: &Value, b: &Value) {
        if a == b {
            // Zeros of either sign are equal as numbers, but not as bits.
            let zero = |v: &Value| matches!(v, Value::Float(n) if *n == 0.0 && n.is_sign_negative());
            if self.tolerance > 0.0 || zero(a) == zero(b) {
                return;
            }
        }
        let near = |x: f64, y: f64| self.tolerance > 0.0 && (x - y).abs() <= self.tolerance;
        if a.as_f64().zip(b.as_f64()).is_some_and(|(x, y)| near(x, y)) {
            return;
        }
        match (a, b) {
            (Value::Array(x), Value::Array(y)) if x.len() == y.len() => self.arrays(x, y, (a, b)),
            _ => self.tell_values(a, b, String::new()),
        }
    }

    fn tell_values(&mut self, a: &Value, b: &Value, more: String) {
        let message = format!("{} against {}{more}", shown(a), shown(b));
        let (a, b) = (Some(a.clone()), Some(b.clone()));
        self.found.push(FieldDifference { path: self.path.clone(), a, b, elements: None, message });
    }

    /// Short lists of numbers: one line for all.
    fn arrays(&mut self, x: &[Value], y: &[Value], whole: (&Value, &Value)) {
        let mut apart = Differ { tolerance: self.tolerance, path: String::new(), found: Vec::new() };
        for (x, y) in x.iter().zip(y) {
            apart.values(x, y);
        }
        if apart.found.is_empty() {
            return;
        }
        let distance = |x: &Value, y: &Value| Some((x.as_f64()? - y.as_f64()?).abs());
        let largest = x.iter().zip(y).filter_map(|(x, y)| distance(x, y)).fold(0.0, f64::max);
        let more = if largest > 0.0 { format!(", {largest:?} apart at most") } else { String::new() };
        self.tell_values(whole.0, whole.1, more);
    }

    fn bulks(&mut self, a: &Bulk, b: &Bulk) {
        if a.bytes == b.bytes && a.layout == b.layout {
            return;
        }
        match (&a.layout, &b.layout) {
            (Some(x), Some(y)) if !x.fields.is_empty() && !y.fields.is_empty() => self.items(a, b, x, y),
            _ => self.bytes(a, b),
        }
    }

    fn bytes(&mut self, a: &Bulk, b: &Bulk) {
        let pairs = a.bytes.iter().zip(b.bytes.iter());
        let count = pairs.clone().filter(|(a, b)| a != b).count();
        let first = pairs.enumerate().find(|(_, (a, b))| a != b);
        let sizes = format!("{} bytes against {}", a.bytes.len(), b.bytes.len());
        let message = match first {
            Some((at, (a, b))) => format!("{sizes}; {count} differ, the first at {at}: {a:#04x} against {b:#04x}"),
            None if a.bytes.len() == b.bytes.len() => format!("{sizes}: equal, but described differently"),
            None => format!("{sizes}, equal as far as both go"),
        };
        self.tell(message);
    }

    fn items(&mut self, a: &Bulk, b: &Bulk, x: &ItemLayout, y: &ItemLayout) {
        let (count_a, count_b) = (x.count(a.bytes.len()), y.count(b.bytes.len()));
        if count_a != count_b {
            self.tell(format!("{count_a} elements against {count_b}"));
        }
        for field in x.fields.iter().filter(|f| !y.fields.iter().any(|g| g.name == f.name)) {
            self.within(|path| named(path, &field.name), |d| d.tell("only in the first".to_owned()));
        }
        for field in y.fields.iter().filter(|f| !x.fields.iter().any(|g| g.name == f.name)) {
            self.within(|path| named(path, &field.name), |d| d.tell("only in the second".to_owned()));
        }
        for field in &x.fields {
            let Some(other) = y.fields.iter().find(|g| g.name == field.name) else { continue };
            let column_a = Column { bytes: &a.bytes, stride: x.stride, field };
            let column_b = Column { bytes: &b.bytes, stride: y.stride, field: other };
            let differences = self.numbers(column_a, column_b, count_a.min(count_b));
            if field.width != other.width {
                let message = format!("{} numbers per element against {}", field.width, other.width);
                self.within(|path| named(path, &field.name), |d| d.tell(message));
            }
            if differences.count > 0 {
                self.tell_elements(&field.name, differences);
            }
        }
    }

    fn tell_elements(&mut self, field: &str, found: ElementDifferences) {
        let part = |n: &NumberDifference| format!("{}: {} against {}", n.path, shown(&n.a), shown(&n.b));
        let mut message = format!("{} of {} numbers differ", found.count, found.of);
        if let Some(first) = &found.first {
            message += &format!("; first {}", part(first));
        }
        if let Some((largest, apart)) = found.largest.as_ref().and_then(|l| Some((l, l.apart?))) {
            message += &format!("; largest difference {apart:?} at {}", part(largest));
        }
        let mut path = self.path.clone();
        if !field.is_empty() {
            named(&mut path, field);
        }
        self.found.push(FieldDifference { path, a: None, b: None, elements: Some(found), message });
    }

    /// Compares one field of all elements that both arrays have.
    fn numbers(&self, a: Column<'_>, b: Column<'_>, count: usize) -> ElementDifferences {
        let width = a.field.width.min(b.field.width);
        let mut tally = Tally { largest: -1.0, ..Tally::default() };
        tally.found.of = (count * width) as u64;
        for (index, number) in (0..count).flat_map(|i| (0..width).map(move |n| (i, n))) {
            let (Some(x), Some(y)) = (a.number(index, number), b.number(index, number)) else { continue };
            let same_type = a.field.scalar == b.field.scalar;
            if same_type && x == y {
                continue;
            }
            let (Some(v), Some(w)) = (a.field.scalar.number(x), b.field.scalar.number(y)) else { continue };
            let apart = (v - w).abs();
            // Numbers of one type with other bits differ; of two types, when they are not equal as numbers.
            let exact = self.tolerance <= 0.0;
            let equal = if exact { apart == 0.0 && !same_type } else { apart <= self.tolerance };
            if equal {
                continue;
            }
            tally.add(apart, || {
                let mut path = format!("{}[{index}]", self.path);
                if !a.field.name.is_empty() {
                    named(&mut path, &a.field.name);
                }
                if a.field.width > 1 {
                    path.push_str(&format!("[{number}]"));
                }
                let (a, b) = (a.field.scalar.value(x), b.field.scalar.value(y));
                let apart = apart.is_finite().then_some(apart);
                NumberDifference { path, a: a.unwrap_or_default(), b: b.unwrap_or_default(), apart }
            });
        }
        tally.found
    }
}

/// One field of all elements of an array.
#[derive(Clone, Copy)]
struct Column<'a> {
    bytes: &'a [u8],
    stride: usize,
    field: &'a ItemField,
}

impl<'a> Column<'a> {
    fn number(self, index: usize, number: usize) -> Option<&'a [u8]> {
        let size = self.field.scalar.size();
        let start = index.checked_mul(self.stride)?.checked_add(self.field.offset)?.checked_add(number * size)?;
        self.bytes.get(start..start.checked_add(size)?)
    }
}

/// How many differ, the first, and the one that differs most.
#[derive(Default)]
struct Tally {
    found: ElementDifferences,
    largest: f64,
}

impl Tally {
    fn add(&mut self, apart: f64, difference: impl FnOnce() -> NumberDifference) {
        self.found.count += 1;
        let larger = apart > self.largest;
        if self.found.first.is_some() && !larger {
            return;
        }
        let difference = difference();
        if larger {
            self.largest = apart;
            self.found.largest = Some(difference.clone());
        }
        self.found.first.get_or_insert(difference);
    }
}

#[derive(Clone, Copy)]
enum Side {
    First,
    Second,
}

/// Appends a name to a path.
fn named(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

fn what(tree: &Tree) -> String {
    match tree {
        Tree::Leaf(value) => shown(value),
        Tree::Bulk(bulk) => format!("{} bytes", bulk.bytes.len()),
        Tree::List(items) => format!("a list of {}", items.len()),
        Tree::Record(members) => match tree.get("name") {
            Some(Tree::Leaf(name)) => shown(name),
            _ => format!("a record of {}", members.len()),
        },
    }
}

/// A value for people, cut to a line.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = match value {
        Value::Array(items) => format!("[{}]", items.iter().take(LONGEST).map(shown).collect::<Vec<_>>().join(", ")),
        other => serde_json::to_string(other).unwrap_or_default(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
