//! Many numbers against many numbers: how many differ, the first, the largest.

use anyrig_bytes::Value;
use anyrig_bytes::codec::{ElementDifferences, FieldDifference, NumberDifference};

/// Collects what differs between numbers of one kind.
pub(super) struct Numbers {
    tolerance: f64,
    found: ElementDifferences,
    largest: f64,
}

impl Numbers {
    pub(super) fn new(tolerance: f64) -> Self {
        Self { tolerance, found: ElementDifferences::default(), largest: -1.0 }
    }

    /// Compares a number with its counterpart; `path` is asked for only when it is told.
    pub(super) fn add(&mut self, a: f64, b: f64, path: impl FnOnce() -> String) {
        self.found.of += 1;
        let apart = (a - b).abs();
        // What is not a number is apart from everything.
        if apart <= self.tolerance {
            return;
        }
        self.found.count += 1;
        let larger = apart > self.largest;
        if self.found.first.is_some() && !larger {
            return;
        }
        let (a, b, finite) = (Value::Float(a), Value::Float(b), apart.is_finite().then_some(apart));
        let difference = NumberDifference::new(path(), a, b, finite);
        if larger {
            self.largest = apart;
            self.found.largest = Some(difference.clone());
        }
        self.found.first.get_or_insert(difference);
    }

    /// Compares lists of numbers; the path of number `i` is `path` with `[i]`.
    pub(super) fn add_all<const N: usize>(&mut self, a: [f64; N], b: [f64; N], path: impl Fn() -> String) {
        for (index, (a, b)) in a.into_iter().zip(b).enumerate() {
            self.add(a, b, || format!("{}[{index}]", path()));
        }
    }

    /// The difference under a path, if there is one.
    pub(super) fn finish(self, path: impl Into<String>) -> Option<FieldDifference> {
        let found = self.found;
        let first = found.first.as_ref()?;
        let spelled = |n: &NumberDifference| format!("{}: {} against {}", n.path, number(&n.a), number(&n.b));
        let mut message = format!("{} of {} numbers differ; first {}", found.count, found.of, spelled(first));
        if let Some((largest, apart)) = found.largest.as_ref().and_then(|l| Some((l, l.apart?))) {
            message += &format!("; largest difference {apart:.3e} at {}", spelled(largest));
        }
        Some(FieldDifference::new(path, message).with_elements(found))
    }
}

fn number(value: &Value) -> String {
    value.as_f64().map_or_else(String::new, |n| n.to_string())
}

/// A difference that is not one of numbers.
pub(super) fn told(path: impl Into<String>, message: impl Into<String>) -> FieldDifference {
    FieldDifference::new(path, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_largest_are_found() {
        let mut numbers = Numbers::new(0.1);
        for (index, (a, b)) in [(1.0, 1.05), (1.0, 1.5), (1.0, 4.0), (1.0, 2.0)].into_iter().enumerate() {
            numbers.add(a, b, || index.to_string());
        }
        let found = numbers.finish("x").and_then(|d| d.elements).expect("differences");
        assert_eq!((found.count, found.of), (3, 4));
        assert_eq!(found.first.map(|f| f.path).as_deref(), Some("1"));
        assert_eq!(found.largest.map(|l| (l.path, l.apart)), Some(("2".to_owned(), Some(3.0))));
        assert!(Numbers::new(0.0).finish("x").is_none());
    }

    #[test]
    fn what_is_not_a_number_differs() {
        let mut numbers = Numbers::new(1.0);
        numbers.add(f64::NAN, 0.0, || "0".to_owned());
        assert_eq!(numbers.finish("x").and_then(|d| d.elements).map(|e| e.count), Some(1));
    }
}
