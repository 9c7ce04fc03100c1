//! One scene for each feature, through every exporter and back: what differs is what the report says, and what the
//! capability table says, both ways.
//!
//! - [`scenes`]: the generated scenes.
//! - [`facts`]: what a scene expresses, feature by feature, in terms that no reordering of elements changes.
//! - [`words`]: which features a line of a report speaks of.
#![cfg(all(feature = "gltf", feature = "urho"))]
#![allow(clippy::print_stdout, reason = "a sweep says how much it saw")]

mod facts;
mod scenes;
mod words;

use anyrig::diff::{Scope, Tolerance, diff};
use anyrig::scene::{Exporter, Feature, Scene, Support, features};
use anyrig::{Context, Registry, Report, Severity};
use facts::{Facts, differences};
use std::collections::{BTreeMap, BTreeSet};

/// The name of what is written, and of the mesh and its node in the scenes: formats that keep only the file's name keep
/// theirs.
pub const STEM: &str = "model";

/// A scene that came back.
struct Round {
    before: Scene,
    after: Scene,
    report: Report,
}

fn round(registry: &Registry, exporter: &dyn Exporter, scene: &Scene) -> Result<Round, String> {
    let context = Context::new();
    let files = exporter.export(scene.clone(), STEM, &context).map_err(|e| format!("not exported: {e}"))?;
    let report = context.take_report();
    for (index, file) in files.iter().enumerate() {
        let source = anyrig::WrittenFiles::new(&files, index).expect("it is there");
        exporter.verify(&file.name, &source, &context).map_err(|e| e.to_string())?;
    }
    registry.verify_read_back(exporter, (scene, &report), &files, &context).map_err(|e| e.to_string())?;
    let mut after = registry.read_back(exporter, &files, &context).map_err(|e| e.to_string())?.swap_remove(0);
    anyrig::passes::to_space(&mut after, scene.space, &context).map_err(|e| e.to_string())?;
    Ok(Round { before: scene.clone(), after, report })
}

impl Round {
    /// Features that differ, each with how.
    fn differing(&self) -> BTreeMap<Feature, String> {
        let namespaces = facts::namespaces(&self.before);
        differences(&Facts::of(&self.before, &namespaces), &Facts::of(&self.after, &namespaces))
    }

    /// What is wrong when the scene is one of a feature.
    fn faults(&self, feature: Feature, exporter: &dyn Exporter) -> Vec<String> {
        let differing = self.differing();
        let mut faults = Vec::new();
        let mut spoken: BTreeMap<Feature, Severity> = BTreeMap::new();
        let mut of_engine = BTreeSet::new();
        for line in self.report.diagnostics() {
            let Some(word) = words::of(line) else {
                faults.push(format!("add to the table of words: {line}"));
                continue;
            };
            if word.is_about_engine {
                of_engine.extend(word.features.iter().copied());
                continue;
            }
            for feature in &word.features {
                let worst = spoken.entry(*feature).or_insert(line.severity);
                *worst = (*worst).max(line.severity);
            }
            if !word.features.is_empty() && !word.features.iter().any(|f| differing.contains_key(f)) {
                faults.push(format!("told, but nothing differs: {line}"));
            }
        }
        let implying = |of: Feature| {
            let mut told = spoken.iter().filter(|(f, _)| differing.contains_key(f));
            told.find(|(f, _)| words::implies(**f).contains(&of)).map(|(_, severity)| *severity)
        };
        for (differs, how) in &differing {
            let implied = implying(*differs).is_some();
            if !spoken.contains_key(differs) && !implied {
                faults.push(format!("{differs} differs, and no line says so: {how}"));
            }
            if exporter.info().support(*differs) == Support::Holds && !implied {
                faults.push(format!("{differs} differs, and the table says that it holds: {how}"));
            }
        }
        let told = spoken.get(&feature).copied().or_else(|| implying(feature));
        let shown = of_engine.contains(&feature);
        match exporter.info().support(feature) {
            Support::Holds if shown || told.is_some() && differing.contains_key(&feature) => {
                faults.push("the table says that it holds, the report says otherwise".to_owned());
            }
            Support::Holds => {}
            Support::Approximates(_) if shown => {}
            Support::Approximates(_) | Support::Drops(_) if told.is_none() => {
                faults.push("the table says that it does not hold, the report says nothing".to_owned());
            }
            Support::Approximates(_) | Support::Drops(_) if !differing.contains_key(&feature) => {
                faults.push("the table says that it does not hold, but nothing differs".to_owned());
            }
            Support::Drops(_) if told != Some(Severity::Lost) => {
                faults.push("the table says that it is dropped, the report does not say lost".to_owned());
            }
            Support::Approximates(_) | Support::Drops(_) => {}
        }
        faults
    }
}

#[test]
fn every_scene_has_its_feature_and_is_sound() {
    for feature in Feature::ALL {
        let mut scene = scenes::scene(feature);
        assert!(features(&scene).contains_key(&feature), "the scene of {feature} does not have it");
        let before = scene.clone();
        let context = Context::new();
        anyrig::scene::validate(&mut scene, &context);
        assert!(scene == before && context.report().is_empty(), "{feature}: {:?}", context.report());
        let namespaces = facts::namespaces(&scene);
        let facts = Facts::of(&scene, &namespaces);
        assert!(facts.has(feature), "no fact shows {feature}");
    }
}

#[test]
fn the_plain_scenes_come_back_whole_and_without_a_loss() {
    let registry = Registry::standard();
    for exporter in registry.exporters() {
        for (name, scene) in scenes::plain() {
            let round = round(&registry, exporter, &scene).unwrap_or_else(|e| panic!("{name}: {e}"));
            let id = exporter.info().id;
            assert_eq!(round.differing(), BTreeMap::new(), "{name} as {id}");
            assert!(round.report.worst() < Some(Severity::Repaired), "{name} as {id}: {:?}", round.report);
        }
    }
}

#[test]
fn what_differs_is_what_the_report_and_the_table_say() {
    let registry = Registry::standard();
    let (mut rounds, mut faults) = (0, Vec::new());
    for exporter in registry.exporters() {
        for feature in Feature::ALL {
            let found = match round(&registry, exporter, &scenes::scene(feature)) {
                Ok(round) => round.faults(feature, exporter),
                Err(error) => vec![error],
            };
            faults.extend(found.into_iter().map(|fault| format!("{} {feature}: {fault}", exporter.info().id)));
            rounds += 1;
        }
    }
    println!("{rounds} scenes written and read back");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Formats that keep every element in its place are held to a comparison of every field.
#[test]
fn where_the_order_of_elements_stays_no_field_differs_without_a_line() {
    let registry = Registry::standard();
    let tolerance = Tolerance::within(1e-6, 1e-6).with_scope(Scope::WithoutExtras);
    let mut compared = 0;
    for exporter in registry.exporters() {
        let keeps_order = scenes::plain().into_iter().all(|(name, scene)| {
            let round = round(&registry, exporter, &scene).unwrap_or_else(|e| panic!("{name}: {e}"));
            diff(&round.before, &round.after, tolerance).is_empty()
        });
        if !keeps_order {
            continue;
        }
        for feature in Feature::ALL {
            let round =
                round(&registry, exporter, &scenes::scene(feature)).unwrap_or_else(|e| panic!("{feature}: {e}"));
            let found = diff(&round.before, &round.after, tolerance);
            let speaks = |line: &anyrig::Diagnostic| words::of(line).is_some_and(|word| !word.features.is_empty());
            let told = round.report.diagnostics().iter().any(speaks);
            let id = exporter.info().id;
            assert!(found.is_empty() || told, "{id} {feature}: {found:?}, and only {:?}", round.report);
            compared += 1;
        }
    }
    println!("{compared} scenes compared field by field");
    assert!(compared > 0);
}
