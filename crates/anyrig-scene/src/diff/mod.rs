//! What differs between two scenes, element by element, in order.
//!
//! Numbers that lie in space (positions, translations) are compared relative to the size of the first scene, all other
//! numbers absolutely. A list of numbers gives one difference that names the first and the largest deviation.

mod materials;
mod rig;

use crate::{
    Channel, Clip, ClipLayer, Curve, DeltaStream, Extras, Image, Influences, Instances, LocalTransform, Mesh, Node,
    Part, Pivots, Scene, Segment, Semantic, Skin, Stream, Topology, TransformPart, Trs,
};
use glam::{DAffine3, DQuat, DVec3};
use std::fmt::Debug;

/// How far numbers may lie apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tolerance {
    /// For positions and translations, as a share of the first scene's size.
    pub relative: f64,
    /// For all other numbers: normals, rotations, weights, colours, times in seconds.
    pub absolute: f64,
    /// Whether names and extras count.
    pub scope: Scope,
}

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    #[default]
    All,
    /// Everything but extras.
    WithoutExtras,
}

impl Tolerance {
    /// Nothing may differ.
    pub const EXACT: Self = Self { relative: 0.0, absolute: 0.0, scope: Scope::All };
    /// Single-precision rounding is allowed; extras are not compared.
    pub const ROUNDING: Self = Self { relative: 1e-6, absolute: 1e-6, scope: Scope::WithoutExtras };

    /// Numbers may lie so far apart: those in space as a share of the first scene's size, all others as they are.
    pub const fn within(relative: f64, absolute: f64) -> Self {
        Self { relative, absolute, scope: Scope::All }
    }

    /// The same tolerance over another scope.
    #[must_use]
    pub const fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Path of the element, for example `meshes[0].parts[1].POSITION`.
    pub path: String,
    /// What differs, first scene before second.
    pub message: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Compares two validated scenes. Elements are matched by index.
pub fn diff(a: &Scene, b: &Scene, tolerance: Tolerance) -> Vec<Difference> {
    let distance = tolerance.relative * size(a);
    let mut differ = Differ { tolerance, distance, path: Vec::new(), found: Vec::new() };
    differ.scenes(a, b);
    differ.found
}

/// The diagonal of the box around all positions of all meshes, as they lie in their files; 1 when there are none.
fn size(scene: &Scene) -> f64 {
    let parts = scene.meshes.values().flat_map(|m| &m.parts);
    let points = parts.flat_map(|p| p.positions()).map(|p| DVec3::new(p[0].into(), p[1].into(), p[2].into()));
    let (low, high) = points.fold((DVec3::MAX, DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    let diagonal = (high - low).length();
    if diagonal.is_finite() && diagonal > 0.0 { diagonal } else { 1.0 }
}

struct Differ {
    tolerance: Tolerance,
    distance: f64,
    path: Vec<String>,
    found: Vec<Difference>,
}

impl Differ {
    fn within(&mut self, name: impl Into<String>, compare: impl FnOnce(&mut Self)) {
        self.path.push(name.into());
        compare(self);
        self.path.pop();
    }

    fn tell(&mut self, name: &str, message: String) {
        let mut path = self.path.join(".");
        if !name.is_empty() && !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        self.found.push(Difference { path, message });
    }

    fn equal<T: PartialEq + Debug>(&mut self, name: &str, a: &T, b: &T) {
        if a != b {
            self.tell(name, format!("{a:?} against {b:?}"));
        }
    }

    fn lists<T>(&mut self, name: &str, a: &[T], b: &[T], mut compare: impl FnMut(&mut Self, &T, &T)) {
        if a.len() != b.len() {
            self.tell(name, format!("{} elements against {}", a.len(), b.len()));
        }
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            self.within(format!("{name}[{index}]"), |d| compare(d, a, b));
        }
    }

    fn numbers(&mut self, name: &str, a: &[f32], b: &[f32], bound: f64) {
        let wide = |v: &f32| f64::from(*v);
        self.wide_numbers(name, a.iter().map(wide), b.iter().map(wide), bound);
    }

    fn wide_numbers(
        &mut self,
        name: &str,
        a: impl ExactSizeIterator<Item = f64>,
        b: impl ExactSizeIterator<Item = f64>,
        bound: f64,
    ) {
        if a.len() != b.len() {
            return self.tell(name, format!("{} numbers against {}", a.len(), b.len()));
        }
        let (mut first, mut largest, mut count) = (None, (0, 0.0), 0usize);
        for (index, (a, b)) in a.zip(b).enumerate() {
            let apart = (a - b).abs();
            if apart > bound || apart.is_nan() {
                first.get_or_insert((index, a, b));
                count += 1;
            }
            if apart > largest.1 {
                largest = (index, apart);
            }
        }
        if let Some((index, a, b)) = first {
            let largest = format!("largest deviation {:e} at {}", largest.1, largest.0);
            self.tell(name, format!("{count} numbers differ, first at {index}: {a} against {b}; {largest}"));
        }
    }

    fn extras(&mut self, a: &Extras, b: &Extras) {
        if self.tolerance.scope == Scope::All {
            self.equal("extras", a, b);
        }
    }

    fn scenes(&mut self, a: &Scene, b: &Scene) {
        self.equal("space", &a.space, &b.space);
        self.lists("nodes", a.nodes.as_slice(), b.nodes.as_slice(), Self::node);
        self.equal("default_root_set", &a.default_root_set, &b.default_root_set);
        self.lists("root_sets", &a.root_sets, &b.root_sets, |d, a, b| {
            d.equal("name", &a.name, &b.name);
            d.equal("roots", &a.roots, &b.roots);
            d.extras(&a.extras, &b.extras);
        });
        self.lists("meshes", a.meshes.as_slice(), b.meshes.as_slice(), Self::mesh);
        self.lists("skins", a.skins.as_slice(), b.skins.as_slice(), Self::skin);
        self.lists("materials", a.materials.as_slice(), b.materials.as_slice(), Self::material);
        self.lists("textures", a.textures.as_slice(), b.textures.as_slice(), |d, a, b| {
            d.equal("name", &a.name, &b.name);
            d.equal("image", &a.image, &b.image);
            d.equal("alternates", &a.alternates, &b.alternates);
            d.equal("sampler", &a.sampler, &b.sampler);
            d.extras(&a.extras, &b.extras);
        });
        self.lists("images", a.images.as_slice(), b.images.as_slice(), Self::image);
        self.lists("cameras", a.cameras.as_slice(), b.cameras.as_slice(), |d, a, b| {
            d.equal("name", &a.name, &b.name);
            d.equal("projection", &a.projection, &b.projection);
            d.extras(&a.extras, &b.extras);
        });
        self.lists("lights", a.lights.as_slice(), b.lights.as_slice(), |d, a, b| {
            d.equal("name", &a.name, &b.name);
            d.equal("kind", &a.kind, &b.kind);
            d.equal("color", &a.color, &b.color);
            d.equal("intensity", &a.intensity, &b.intensity);
            d.equal("range", &a.range, &b.range);
            d.extras(&a.extras, &b.extras);
        });
        self.lists("clips", &a.clips, &b.clips, Self::clip);
        self.rig(&a.rig, &b.rig);
        self.lists("variants", &a.variants, &b.variants, |d, a, b| {
            d.equal("name", &a.name, &b.name);
            d.extras(&a.extras, &b.extras);
        });
        self.extras(&a.extras, &b.extras);
    }

    fn node(&mut self, a: &Node, b: &Node) {
        self.equal("name", &a.name, &b.name);
        self.equal("parent", &a.parent, &b.parent);
        self.equal("children", &a.children, &b.children);
        self.local(&a.local, &b.local);
        self.equal("inherit", &a.inherit, &b.inherit);
        self.pivots(a, b);
        self.within("geometric", |d| {
            let of = |n: &Node| n.geometric.as_deref().copied().unwrap_or_default();
            d.trs(&of(a), &of(b));
        });
        match (&a.instances, &b.instances) {
            (None, None) => {}
            (Some(a), Some(b)) => self.within("instances", |d| d.instances(a, b)),
            (a, _) => self.tell("instances", only_in(a.is_some())),
        }
        self.equal("camera", &a.camera, &b.camera);
        self.equal("light", &a.light, &b.light);
        self.equal("visible", &a.visible, &b.visible);
        self.extras(&a.extras, &b.extras);
        match (&a.mesh, &b.mesh) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                self.equal("mesh", &a.mesh, &b.mesh);
                self.equal("skin", &a.skin, &b.skin);
                self.equal("materials", &a.materials, &b.materials);
                self.equal("variants", &a.variants, &b.variants);
                self.numbers("morph_weights", &a.morph_weights, &b.morph_weights, self.tolerance.absolute);
            }
            (a, _) => {
                self.tell("mesh", if a.is_some() { "only in the first" } else { "only in the second" }.to_owned());
            }
        }
    }

    fn instances(&mut self, a: &Instances, b: &Instances) {
        self.lists("transforms", &a.transforms, &b.transforms, Self::trs);
        self.lists("streams", &a.streams, &b.streams, |d, a, b| {
            d.equal("semantic", &a.semantic, &b.semantic);
            d.stream(a, b);
        });
        self.extras(&a.extras, &b.extras);
    }

    fn local(&mut self, a: &LocalTransform, b: &LocalTransform) {
        match (a, b) {
            (LocalTransform::Trs(a), LocalTransform::Trs(b)) => self.trs(a, b),
            (a, b) => self.affine("matrix", &a.to_affine(), &b.to_affine()),
        }
    }

    fn trs(&mut self, a: &Trs, b: &Trs) {
        let (distance, absolute) = (self.distance, self.tolerance.absolute);
        self.wide_numbers(
            "translation",
            a.translation.to_array().into_iter(),
            b.translation.to_array().into_iter(),
            distance,
        );
        self.rotation("rotation", a.rotation, b.rotation);
        self.wide_numbers("scale", a.scale.to_array().into_iter(), b.scale.to_array().into_iter(), absolute);
    }

    /// q and -q are the same rotation.
    fn rotation(&mut self, name: &str, a: DQuat, b: DQuat) {
        let same_side = if a.dot(b) < 0.0 { -b } else { b };
        self.wide_numbers(name, a.to_array().into_iter(), same_side.to_array().into_iter(), self.tolerance.absolute);
    }

    fn pivots(&mut self, a: &Node, b: &Node) {
        let (a, b) = match (&a.pivots, &b.pivots) {
            (None, None) => return,
            (Some(a), Some(b)) => (a, b),
            (a, _) => return self.tell("pivots", only_in(a.is_some())),
        };
        self.within("pivots", |d| {
            d.equal("rotation_order", &a.rotation_order, &b.rotation_order);
            for part in TransformPart::ALL {
                let bound = if part.is_length() { d.distance } else { d.tolerance.absolute };
                let values = |p: &Pivots| p.part(part).to_array().into_iter();
                d.wide_numbers(&format!("{part:?}"), values(a), values(b), bound);
            }
        });
    }

    fn affine(&mut self, name: &str, a: &DAffine3, b: &DAffine3) {
        let (distance, absolute) = (self.distance, self.tolerance.absolute);
        self.within(name, |d| {
            let linear = |m: &DAffine3| m.matrix3.to_cols_array().into_iter();
            d.wide_numbers("linear", linear(a), linear(b), absolute);
            let moved = |m: &DAffine3| m.translation.to_array().into_iter();
            d.wide_numbers("translation", moved(a), moved(b), distance);
        });
    }

    fn mesh(&mut self, a: &Mesh, b: &Mesh) {
        self.equal("name", &a.name, &b.name);
        self.equal("morphs", &a.morphs, &b.morphs);
        self.lists("parts", &a.parts, &b.parts, Self::part);
        self.extras(&a.extras, &b.extras);
    }

    fn part(&mut self, a: &Part, b: &Part) {
        self.equal("point_count", &a.point_count, &b.point_count);
        self.equal("slot", &a.slot, &b.slot);
        self.topology(a, b);
        let both: std::collections::BTreeSet<&Semantic> =
            a.streams.iter().chain(&b.streams).map(|s| &s.semantic).collect();
        for semantic in both {
            match (a.stream(semantic), b.stream(semantic)) {
                (Some(a), Some(b)) => self.stream(a, b),
                (Some(_), None) => self.tell(&semantic.to_string(), "only in the first".to_owned()),
                _ => self.tell(&semantic.to_string(), "only in the second".to_owned()),
            }
        }
        match (&a.influences, &b.influences) {
            (None, None) => {}
            (Some(a), Some(b)) => self.influences(a, b),
            (a, _) => {
                self.tell(
                    "influences",
                    if a.is_some() { "only in the first" } else { "only in the second" }.to_owned(),
                );
            }
        }
        self.lists("morphs", &a.morphs, &b.morphs, |d, a, b| d.lists("deltas", &a.deltas, &b.deltas, Self::delta));
        self.extras(&a.extras, &b.extras);
    }

    fn topology(&mut self, a: &Part, b: &Part) {
        match (&a.topology, &b.topology) {
            (Topology::Polygons { offsets: x }, Topology::Polygons { offsets: y }) => self.equal("offsets", x, y),
            (x, y) if std::mem::discriminant(x) != std::mem::discriminant(y) => {
                self.tell("topology", format!("{x:?} against {y:?}"));
            }
            _ => {}
        }
        if a.corner_count() != b.corner_count() {
            return self.tell("corners", format!("{} against {}", a.corner_count(), b.corner_count()));
        }
        if let Some(corner) = (0..a.corner_count()).find(|c| a.point_of(*c) != b.point_of(*c)) {
            let (x, y) = (a.point_of(corner), b.point_of(corner));
            self.tell("corners", format!("corner {corner} is point {x} against {y}"));
        }
    }

    fn stream(&mut self, a: &Stream, b: &Stream) {
        let bound = if a.semantic == Semantic::Position { self.distance } else { self.tolerance.absolute };
        self.within(a.semantic.to_string(), |d| {
            d.equal("domain", &a.domain, &b.domain);
            d.equal("width", &a.width, &b.width);
            d.numbers("values", &a.values, &b.values, bound);
        });
    }

    /// Influences are equal when each point has the same joints with the same weights; zero weights do not count.
    fn influences(&mut self, a: &Influences, b: &Influences) {
        if a.point_count() != b.point_count() {
            return self.tell("influences", format!("{} points against {}", a.point_count(), b.point_count()));
        }
        let bound = self.tolerance.absolute;
        let differs = |point: &usize| {
            let (a, b) = (used(a, *point), used(b, *point));
            a.len() != b.len() || a.iter().zip(&b).any(|(x, y)| x.0 != y.0 || (x.1 - y.1).abs() > bound)
        };
        if let Some(point) = (0..a.point_count()).find(differs) {
            let message = format!("point {point}: {:?} against {:?}", used(a, point), used(b, point));
            self.tell("influences", message);
        }
    }

    fn delta(&mut self, a: &DeltaStream, b: &DeltaStream) {
        self.equal("semantic", &a.semantic, &b.semantic);
        let bound = if a.semantic == Semantic::Position { self.distance } else { self.tolerance.absolute };
        let name = a.semantic.to_string();
        let points = |d: &DeltaStream| d.points.as_ref().map(|p| p.to_vec());
        if points(a) == points(b) {
            return self.numbers(&name, &a.values, &b.values, bound);
        }
        // A dense and a sparse spelling of the same deltas are equal.
        let last = |d: &DeltaStream| (0..d.len()).map(|e| d.point_of(e) + 1).max().unwrap_or(0);
        let count = last(a).max(last(b));
        self.numbers(&name, &dense(a, count), &dense(b, count), bound);
    }

    fn skin(&mut self, a: &Skin, b: &Skin) {
        self.equal("name", &a.name, &b.name);
        self.equal("joints", &a.joints, &b.joints);
        self.equal("skeleton", &a.skeleton, &b.skeleton);
        self.equal("method", &a.method, &b.method);
        self.lists("inverse_binds", &a.inverse_binds, &b.inverse_binds, |d, a, b| d.affine("", a, b));
        self.extras(&a.extras, &b.extras);
    }

    fn image(&mut self, a: &Image, b: &Image) {
        self.equal("name", &a.name, &b.name);
        self.equal("mime_type", &a.mime_type, &b.mime_type);
        if a.bytes != b.bytes {
            self.tell("bytes", format!("{:?} against {:?}", a.bytes, b.bytes));
        }
        self.extras(&a.extras, &b.extras);
    }

    fn clip(&mut self, a: &Clip, b: &Clip) {
        self.equal("name", &a.name, &b.name);
        self.wide_numbers("end_secs", [a.end_secs()].into_iter(), [b.end_secs()].into_iter(), self.tolerance.absolute);
        self.wide_numbers(
            "start_secs",
            [a.start_secs].into_iter(),
            [b.start_secs].into_iter(),
            self.tolerance.absolute,
        );
        self.lists("layers", &a.layers, &b.layers, Self::layer);
        self.lists("channels", &a.channels, &b.channels, Self::channel);
        self.extras(&a.extras, &b.extras);
    }

    fn channel(&mut self, a: &Channel, b: &Channel) {
        let bound = if a.target.is_length() { self.distance } else { self.tolerance.absolute };
        self.equal("target", &a.target, &b.target);
        self.equal("layer", &a.layer, &b.layer);
        self.curve(&a.curve, &b.curve, bound);
        self.extras(&a.extras, &b.extras);
    }

    fn curve(&mut self, a: &Curve, b: &Curve, bound: f64) {
        self.equal("interpolation", &a.interpolation, &b.interpolation);
        self.equal("before", &a.before, &b.before);
        self.equal("after", &a.after, &b.after);
        let (times_a, times_b) = (a.times_secs.iter().copied(), b.times_secs.iter().copied());
        self.wide_numbers("times_secs", times_a, times_b, self.tolerance.absolute);
        self.numbers("values", &a.values, &b.values, bound);
        if a.segments.len() != b.segments.len() {
            let message = format!("{} segments against {}", a.segments.len(), b.segments.len());
            return self.tell("segments", message);
        }
        let differs = |(a, b): (&Segment, &Segment)| !near(a, b, bound.max(self.tolerance.absolute));
        if let Some(key) = a.segments.iter().zip(&b.segments).position(differs) {
            let message = format!("after key {key}: {:?} against {:?}", a.segments[key], b.segments[key]);
            self.tell("segments", message);
        }
    }

    fn layer(&mut self, a: &ClipLayer, b: &ClipLayer) {
        self.equal("name", &a.name, &b.name);
        self.equal("blend", &a.blend, &b.blend);
        self.equal("rotations", &a.rotations, &b.rotations);
        self.equal("scales", &a.scales, &b.scales);
        self.wide_numbers("weight", [a.weight].into_iter(), [b.weight].into_iter(), self.tolerance.absolute);
        self.equal("muted", &a.muted, &b.muted);
        self.equal("solo", &a.solo, &b.solo);
        match (&a.weight_curve, &b.weight_curve) {
            (None, None) => {}
            (Some(a), Some(b)) => self.within("weight_curve", |d| d.curve(a, b, d.tolerance.absolute)),
            (a, _) => self.tell("weight_curve", only_in(a.is_some())),
        }
    }
}

/// Whether two segments are of the same kind with numbers that lie near each other.
fn near(a: &Segment, b: &Segment, bound: f64) -> bool {
    let numbers = |segment: &Segment| match *segment {
        Segment::Step | Segment::StepNext | Segment::Linear => [0.0; 4],
        Segment::Hermite { out_slope, in_slope } => [out_slope, in_slope, 0.0, 0.0],
        Segment::Bezier { out, into } => [out.slope, out.weight, into.slope, into.weight],
        Segment::Eased { out, into } => [out[0], out[1], into[0], into[1]],
    };
    let apart = |(a, b): (f32, f32)| f64::from(a - b).abs() <= bound;
    std::mem::discriminant(a) == std::mem::discriminant(b) && numbers(a).into_iter().zip(numbers(b)).all(apart)
}

fn only_in(first: bool) -> String {
    if first { "only in the first" } else { "only in the second" }.to_owned()
}

fn used(influences: &Influences, point: usize) -> Vec<(u32, f64)> {
    let (joints, weights) = influences.of(point);
    let mut used: Vec<_> =
        joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, w)| (*j, f64::from(*w))).collect();
    used.sort_by_key(|(joint, _)| *joint);
    used
}

fn dense(delta: &DeltaStream, count: usize) -> Vec<f32> {
    let width = usize::from(delta.width);
    let mut values = vec![0.0; count * width];
    for element in 0..delta.len() {
        let at = delta.point_of(element) * width;
        values[at..at + width].copy_from_slice(&delta.values[element * width..(element + 1) * width]);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, Layout, MeshInstance, Property};

    fn sample() -> Scene {
        let mut scene = Scene::default();
        let mut part = Part { point_count: 2, topology: Topology::Points, ..Part::default() };
        part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 0.0, 100.0, 0.0]));
        let (joints, weights) = (vec![0, 1, 0, 1].into(), vec![1.0, 0.0, 0.5, 0.5].into());
        part.influences = Some(Influences { layout: Layout::Fixed(2), joints, weights });
        let mesh = scene.meshes.push(Mesh { parts: vec![part], ..Mesh::default() });
        let mut node = Node::new("n");
        node.mesh = Some(MeshInstance::new(mesh));
        let node = scene.add_node(node, None);
        let mut clip = Clip::new("c");
        let curve = Curve::new(Interpolation::Linear, 3, vec![0.0], vec![1.0, 2.0, 3.0]);
        clip.channels.push(Channel::new(node, Property::Translation, curve));
        scene.clips.push(clip);
        scene
    }

    fn paths(a: &Scene, b: &Scene, tolerance: Tolerance) -> Vec<String> {
        diff(a, b, tolerance).into_iter().map(|d| d.path).collect()
    }

    #[test]
    fn a_scene_equals_itself() {
        assert_eq!(diff(&sample(), &sample(), Tolerance::EXACT), []);
    }

    #[test]
    fn positions_are_compared_relative_to_the_size() {
        let mut moved = sample();
        let part = &mut moved.meshes.as_mut_slice()[0].parts[0];
        part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 0.0, 100.0, 0.5]));
        let rough = Tolerance { relative: 0.01, ..Tolerance::EXACT };
        assert_eq!(paths(&sample(), &moved, rough), [""; 0]);
        assert_eq!(paths(&sample(), &moved, Tolerance::EXACT), ["meshes[0].parts[0].POSITION.values"]);
    }

    #[test]
    fn spelling_of_influences_and_rotations_does_not_count() {
        let mut other = sample();
        let part = &mut other.meshes.as_mut_slice()[0].parts[0];
        let layout = Layout::Offsets(vec![0, 1, 3].into());
        part.influences =
            Some(Influences { layout, joints: vec![0, 1, 0].into(), weights: vec![1.0, 0.5, 0.5].into() });
        let trs = Trs { rotation: -DQuat::IDENTITY, ..Trs::IDENTITY };
        other.nodes.as_mut_slice()[0].local = LocalTransform::Trs(trs);
        assert_eq!(paths(&sample(), &other, Tolerance::EXACT), [""; 0]);
    }

    #[test]
    fn every_kind_of_change_is_found() {
        type Change = fn(&mut Scene);
        let changes: [(&str, Change); 6] = [
            ("nodes[0].name", |s| s.nodes.as_mut_slice()[0].name.push('x')),
            ("nodes[0].mesh", |s| s.nodes.as_mut_slice()[0].mesh = None),
            ("clips[0].channels[0].times_secs", |s| s.clips[0].channels[0].curve.times_secs = vec![0.5].into()),
            ("clips", |s| s.clips.clear()),
            ("meshes[0].parts[0].influences", |s| s.meshes.as_mut_slice()[0].parts[0].influences = None),
            ("extras", |s| s.extras.set("a", 1)),
        ];
        for (path, change) in changes {
            let mut other = sample();
            change(&mut other);
            let found = paths(&sample(), &other, Tolerance::EXACT);
            assert!(found.contains(&path.to_owned()), "{path}: {found:?}");
        }
        assert_eq!(Tolerance::ROUNDING.scope, Scope::WithoutExtras);
    }
}
