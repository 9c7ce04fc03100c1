//! What a scene expresses, by feature: facts in terms that stay the same when elements change their places.
//!
//! Points are known by where they stand at rest, nodes and clips by their names.

mod extensions;
mod materials;
mod motion;
mod nodes;
mod rig;
mod surfaces;

use anyrig::Scene;
use anyrig::scene::{Extras, Feature};
use std::collections::{BTreeMap, BTreeSet};

/// How far numbers of a fact may lie apart.
const TOLERANCE: f64 = 2e-5;

/// How far posed points may: as far as the targets' bounds let approximated motion go. [`anyrig::Registry::verify_read_back`]
/// holds motion that was not approximated to what floats lose.
const MOTION_TOLERANCE: f64 = 2e-3;

/// One fact.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Fact {
    text: String,
    numbers: Vec<f64>,
}

/// All facts of a scene.
#[derive(Debug, Default)]
pub struct Facts(BTreeMap<Feature, Vec<Fact>>);

impl Facts {
    /// The facts of a scene; extras of other namespaces are the importer's own.
    pub fn of(scene: &Scene, namespaces: &BTreeSet<String>) -> Self {
        let mut facts = Self::default();
        surfaces::add(scene, &mut facts);
        materials::add(scene, &mut facts);
        extensions::add(scene, &mut facts);
        motion::add(scene, &mut facts);
        nodes::add(scene, namespaces, &mut facts);
        rig::add(scene, &mut facts);
        for list in facts.0.values_mut() {
            list.sort_by(|a, b| a.partial_cmp(b).expect("numbers are finite"));
            list.dedup();
        }
        facts
    }

    /// Whether any fact shows the feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.0.contains_key(&feature)
    }

    fn add(&mut self, feature: Feature, text: impl Into<String>, numbers: impl IntoIterator<Item = f64>) {
        let fact = Fact { text: text.into(), numbers: numbers.into_iter().collect() };
        self.0.entry(feature).or_default().push(fact);
    }

    fn of_feature(&self, feature: Feature) -> &[Fact] {
        self.0.get(&feature).map_or(&[], Vec::as_slice)
    }
}

/// Features whose facts differ, each with the first difference.
pub fn differences(before: &Facts, after: &Facts) -> BTreeMap<Feature, String> {
    let mut found = BTreeMap::new();
    for feature in Feature::ALL {
        if let Some(how) = difference(feature, before.of_feature(feature), after.of_feature(feature)) {
            found.insert(feature, how);
        }
    }
    found
}

fn difference(feature: Feature, before: &[Fact], after: &[Fact]) -> Option<String> {
    let tolerance = if feature == Feature::Clips { MOTION_TOLERANCE } else { TOLERANCE };
    let near = |a: &f64, b: &f64| (a - b).abs() <= tolerance * a.abs().max(1.0);
    let same = |a: &Fact, b: &Fact| {
        a.text == b.text
            && a.numbers.len() == b.numbers.len()
            && a.numbers.iter().zip(&b.numbers).all(|(a, b)| near(a, b))
    };
    if before.len() == after.len() && before.iter().zip(after).all(|(a, b)| same(a, b)) {
        return None;
    }
    let lost = before.iter().find(|a| !after.iter().any(|b| same(a, b)));
    let new = after.iter().find(|b| !before.iter().any(|a| same(a, b)));
    Some(format!("{} facts became {}, first {lost:?} against {new:?}", before.len(), after.len()))
}

/// A place as text, the same for places that differ by rounding only.
fn place(position: [f64; 3]) -> String {
    let round = |v: f64| (v * 1e3).round() / 1e3 + 0.0;
    let [x, y, z] = position.map(round);
    format!("({x} {y} {z})")
}

fn wide<const N: usize>(values: [f32; N]) -> [f64; N] {
    values.map(f64::from)
}

/// The namespaces of all extras that are carried.
pub fn namespaces(scene: &Scene) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    nodes::for_each_extras(scene, |_, extras: &Extras| all.extend(extras.carried().map(|(name, _)| name.to_owned())));
    all
}
