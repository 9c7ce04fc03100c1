//! An evaluator of glTF motion for tests, made from the specification alone: it shares no code with the library that it
//! judges, so that an error which reader, writer and evaluator of the library have in common still shows.
//!
//! All arithmetic is f64. Known are nodes, skins, morph targets of positions, and animation of translation, rotation,
//! scale and weights. Of what changes positions in other ways (compression, instancing) it says that it cannot judge.
#![allow(clippy::disallowed_methods, reason = "a judge need not give the same bits everywhere")]
#![allow(dead_code, reason = "each test asks the judge something else")]

mod file;

pub use file::File;

use file::{Numbers, at, number, numbers};
use serde_json::Value;

type Matrix = [[f64; 4]; 4];
type Point = [f64; 3];

const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// What a node shows.
pub struct Primitive {
    pub node: usize,
    /// Its points as they are stored.
    pub stored: Vec<Point>,
    /// In scene space, blended, skinned and placed. A point that no joint holds has no place.
    pub shown: Vec<Option<Point>>,
}

/// [`Primitive::shown`] of all primitives, in depth-first order of their nodes.
pub type Shown = Vec<Vec<Option<Point>>>;

/// The largest distance between points; an error when there are other primitives or points.
pub fn largest_distance(a: &Shown, b: &Shown) -> Result<f64, String> {
    let counts = |shown: &Shown| shown.iter().map(Vec::len).collect::<Vec<_>>();
    if counts(a) != counts(b) {
        return Err(format!("points of primitives: {:?} became {:?}", counts(a), counts(b)));
    }
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let placed = pairs.filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)));
    // Written so that NaN is an infinite distance.
    Ok(placed.map(|(a, b)| distance(*a, *b)).fold(0.0, |most, d| if d <= most { most } else { d.max(most) }))
}

fn distance(a: Point, b: Point) -> f64 {
    let sum: f64 = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum();
    if sum.is_nan() { f64::INFINITY } else { sum.sqrt() }
}

/// The diagonal of the box around all points; 1 when there is none.
pub fn size(shown: &Shown) -> f64 {
    let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
    for point in shown.iter().flatten().flatten() {
        for i in 0..3 {
            (low[i], high[i]) = (low[i].min(point[i]), high[i].max(point[i]));
        }
    }
    let diagonal = distance(high, low);
    if diagonal.is_finite() && diagonal > 0.0 { diagonal } else { 1.0 }
}

/// What moves a node.
#[derive(Clone, Default)]
struct Moved {
    translation: Option<Vec<f64>>,
    rotation: Option<Vec<f64>>,
    scale: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
}

impl File {
    pub fn clip_count(&self) -> usize {
        self.list("animations").len()
    }

    pub fn clip_names(&self) -> impl Iterator<Item = &str> {
        self.list("animations").iter().map(|a| a["name"].as_str().unwrap_or_default())
    }

    pub fn node_name(&self, node: usize) -> &str {
        self.list("nodes")[node]["name"].as_str().unwrap_or_default()
    }

    /// Time of the last key of a clip.
    pub fn end_secs(&self, clip: usize) -> f64 {
        let animation = &self.list("animations")[clip];
        let inputs = at(animation, "channels").iter().filter(|c| c["target"]["node"].is_u64()).map(|c| {
            let sampler = &animation["samplers"][number(&c["sampler"]).unwrap_or(0)];
            self.accessor(&sampler["input"]).iter().copied().fold(0.0, f64::max)
        });
        inputs.fold(0.0, f64::max)
    }

    /// What is shown at rest, or at a time of a clip.
    pub fn shown(&self, moment: Option<(usize, f64)>) -> Shown {
        self.primitives(moment).into_iter().map(|p| p.shown).collect()
    }

    /// As [`File::shown`], with the nodes, and the points as they are stored.
    pub fn primitives(&self, moment: Option<(usize, f64)>) -> Vec<Primitive> {
        let mut moved = vec![Moved::default(); self.list("nodes").len()];
        if let Some((clip, time_secs)) = moment {
            self.animate(&self.list("animations")[clip], time_secs, &mut moved);
        }
        let mut worlds = vec![IDENTITY; moved.len()];
        for root in self.tops() {
            self.place(root, &IDENTITY, &moved, &mut worlds);
        }
        let mut order = Vec::new();
        for root in self.roots() {
            self.below(root, &mut order);
        }
        order.into_iter().flat_map(|node| self.of_node(node, &moved[node], &worlds)).collect()
    }

    fn roots(&self) -> Vec<usize> {
        let scenes = self.list("scenes");
        let chosen = number(&self.json["scene"]).unwrap_or(0);
        match scenes.get(chosen) {
            Some(scene) => at(scene, "nodes").iter().filter_map(number).collect(),
            None => self.tops(),
        }
    }

    /// The nodes without a parent.
    fn tops(&self) -> Vec<usize> {
        let nodes = self.list("nodes");
        let mut is_top = vec![true; nodes.len()];
        nodes.iter().flat_map(children).for_each(|child| is_top[child] = false);
        (0..nodes.len()).filter(|node| is_top[*node]).collect()
    }

    fn below(&self, node: usize, order: &mut Vec<usize>) {
        order.push(node);
        children(&self.list("nodes")[node]).for_each(|child| self.below(child, order));
    }

    fn place(&self, node: usize, parent: &Matrix, moved: &[Moved], worlds: &mut [Matrix]) {
        let object = &self.list("nodes")[node];
        worlds[node] = product(parent, &local(object, &moved[node]));
        let world = worlds[node];
        children(object).for_each(|child| self.place(child, &world, moved, worlds));
    }

    fn animate(&self, animation: &Value, time_secs: f64, moved: &mut [Moved]) {
        for channel in at(animation, "channels") {
            let Some(node) = number(&channel["target"]["node"]) else { continue };
            let path = channel["target"]["path"].as_str().unwrap_or_default();
            let sampler = &animation["samplers"][number(&channel["sampler"]).unwrap_or(0)];
            let value = self.sample(sampler, time_secs, path == "rotation");
            let of = &mut moved[node];
            match path {
                "translation" => of.translation = Some(value),
                "rotation" => of.rotation = Some(value),
                "scale" => of.scale = Some(value),
                "weights" => of.weights = Some(value),
                _ => {}
            }
        }
    }

    /// Specification, appendix C.
    fn sample(&self, sampler: &Value, time_secs: f64, is_rotation: bool) -> Vec<f64> {
        let times = self.accessor(&sampler["input"]);
        let values = self.accessor(&sampler["output"]);
        let kind = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let is_cubic = kind == "CUBICSPLINE";
        let width = values.len() / (times.len() * if is_cubic { 3 } else { 1 });
        // Of a cubic key: 0 is the tangent before it, 1 the value, 2 the tangent behind it.
        let element = |key: usize, part: usize| {
            let index = if is_cubic { key * 3 + part } else { key };
            &values[index * width..(index + 1) * width]
        };
        let next = times.iter().position(|t| *t > time_secs).unwrap_or(times.len());
        if next == 0 || next == times.len() || kind == "STEP" {
            return element(next.saturating_sub(1), 1).to_vec();
        }
        let (key, length) = (next - 1, times[next] - times[next - 1]);
        let share = (time_secs - times[key]) / length;
        if is_cubic {
            let (s2, s3) = (share * share, share * share * share);
            let factors =
                [2.0 * s3 - 3.0 * s2 + 1.0, length * (s3 - 2.0 * s2 + share), 3.0 * s2 - 2.0 * s3, length * (s3 - s2)];
            let terms = [element(key, 1), element(key, 2), element(next, 1), element(next, 0)];
            let sum = |i: usize| (0..4).map(|t| factors[t] * terms[t][i]).sum();
            let blended: Vec<f64> = (0..width).map(sum).collect();
            return if is_rotation { unit(&blended) } else { blended };
        }
        let (a, b) = (element(key, 1), element(next, 1));
        if is_rotation {
            return slerp(a, b, share);
        }
        a.iter().zip(b).map(|(a, b)| a + (b - a) * share).collect()
    }

    fn of_node(&self, node: usize, moved: &Moved, worlds: &[Matrix]) -> Vec<Primitive> {
        let object = &self.list("nodes")[node];
        let Some(mesh) = number(&object["mesh"]).map(|m| &self.list("meshes")[m]) else { return Vec::new() };
        let weights = moved.weights.clone().or_else(|| numbers(&object["weights"]));
        let weights = weights.or_else(|| numbers(&mesh["weights"])).unwrap_or_default();
        let palette = number(&object["skin"]).map(|skin| self.palette(&self.list("skins")[skin], worlds));
        let shown = at(mesh, "primitives").iter().filter(|primitive| self.has_faces(primitive));
        let made = shown.map(|p| {
            let stored = self.accessor(&p["attributes"]["POSITION"]).as_chunks::<3>().0.to_vec();
            Primitive { node, stored, shown: self.points(p, &weights, palette.as_deref(), &worlds[node]) }
        });
        made.collect()
    }

    fn has_faces(&self, primitive: &Value) -> bool {
        let count = match &primitive["indices"] {
            Value::Null => self.count(&primitive["attributes"]["POSITION"]),
            indices => self.count(indices),
        };
        count >= [1, 2, 2, 2, 3, 3, 3][number(&primitive["mode"]).unwrap_or(4)] && count > 0
    }

    fn palette(&self, skin: &Value, worlds: &[Matrix]) -> Vec<Matrix> {
        let binds = self.accessor(&skin["inverseBindMatrices"]);
        let bind = |joint: usize| binds.get(joint * 16..joint * 16 + 16).map_or(IDENTITY, matrix);
        let joints = at(skin, "joints").iter().filter_map(number).enumerate();
        joints.map(|(joint, node)| product(&worlds[node], &bind(joint))).collect()
    }

    fn points(
        &self,
        primitive: &Value,
        weights: &[f64],
        palette: Option<&[Matrix]>,
        world: &Matrix,
    ) -> Vec<Option<Point>> {
        let mut points = self.accessor(&primitive["attributes"]["POSITION"]).to_vec();
        for (target, weight) in at(primitive, "targets").iter().zip(weights) {
            let deltas = self.accessor(&target["POSITION"]);
            points.iter_mut().zip(deltas.iter()).for_each(|(p, delta)| *p += weight * delta);
        }
        let sets = (0..).map_while(|set| {
            let set = |name: &str| &primitive["attributes"][format!("{name}_{set}")];
            let (joints, weights) = (set("JOINTS"), set("WEIGHTS"));
            (!joints.is_null() && !weights.is_null()).then(|| (self.accessor(joints), self.accessor(weights)))
        });
        let sets: Vec<_> = sets.collect();
        let moved = points.as_chunks::<3>().0.iter().enumerate().map(|(i, point)| match palette {
            Some(palette) if !sets.is_empty() => skinned(*point, i, &sets, palette),
            _ => Some(transformed(world, *point)),
        });
        moved.collect()
    }
}

/// The sum of what each joint makes of the point.
fn skinned(point: Point, index: usize, sets: &[(Numbers, Numbers)], palette: &[Matrix]) -> Option<Point> {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for (joints, weights) in sets {
        for i in index * 4..index * 4 + 4 {
            let moved = transformed(&palette[joints[i] as usize], point);
            (0..3).for_each(|axis| sum[axis] += weights[i] * moved[axis]);
            total += weights[i];
        }
    }
    (total > 0.0).then_some(sum)
}

fn children(node: &Value) -> impl Iterator<Item = usize> + '_ {
    at(node, "children").iter().filter_map(number)
}

fn local(node: &Value, moved: &Moved) -> Matrix {
    if let Some(columns) = numbers(&node["matrix"]) {
        return matrix(&columns);
    }
    let part = |moved: &Option<Vec<f64>>, name: &str, default: &[f64]| {
        moved.clone().or_else(|| numbers(&node[name])).unwrap_or_else(|| default.to_vec())
    };
    let translation = part(&moved.translation, "translation", &[0.0; 3]);
    let rotation = part(&moved.rotation, "rotation", &[0.0, 0.0, 0.0, 1.0]);
    let scale = part(&moved.scale, "scale", &[1.0; 3]);
    let [x, y, z, w] = [rotation[0], rotation[1], rotation[2], rotation[3]];
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let column = |i: usize| [columns[i][0] * scale[i], columns[i][1] * scale[i], columns[i][2] * scale[i], 0.0];
    [column(0), column(1), column(2), [translation[0], translation[1], translation[2], 1.0]]
}

/// From sixteen numbers, column after column.
fn matrix(columns: &[f64]) -> Matrix {
    std::array::from_fn(|column| std::array::from_fn(|row| columns[column * 4 + row]))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let cell = |column: usize, row: usize| (0..4).map(|i| a[i][row] * b[column][i]).sum();
    std::array::from_fn(|column| std::array::from_fn(|row| cell(column, row)))
}

fn transformed(m: &Matrix, p: Point) -> Point {
    std::array::from_fn(|row| m[0][row] * p[0] + m[1][row] * p[1] + m[2][row] * p[2] + m[3][row])
}

fn unit(values: &[f64]) -> Vec<f64> {
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    values.iter().map(|v| v / length).collect()
}

fn slerp(a: &[f64], b: &[f64], share: f64) -> Vec<f64> {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let (dot, sign) = (dot.abs(), if dot < 0.0 { -1.0 } else { 1.0 });
    let angle = dot.min(1.0).acos();
    // Below this the two are one rotation to the last bit of an f32.
    let (of_a, of_b) = if angle < 1e-9 {
        (1.0 - share, share)
    } else {
        (((1.0 - share) * angle).sin() / angle.sin(), (share * angle).sin() / angle.sin())
    };
    unit(&a.iter().zip(b).map(|(a, b)| of_a * a + sign * of_b * b).collect::<Vec<_>>())
}

/// A point at (1, 0, 0) that two joints hold half each; the first turns a quarter about Z within a second.
#[test]
fn the_judge_itself_is_right_where_hands_can_reckon() {
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let point = floats(&[1.0, 0.0, 0.0]);
    let weights = floats(&[0.5, 0.5, 0.0, 0.0]);
    let keys = floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, quarter, quarter]);
    let buffer = [point, vec![0, 1, 0, 0], weights, keys].concat();
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2]}],
        "nodes":[{"mesh":0,"skin":0,"translation":[9,9,9]},{},{"translation":[0,0,3]}],
        "meshes":[{"primitives":[{"mode":0,"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2}}]}],
        "skins":[{"joints":[1,2]}],
        "animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],
                       "samplers":[{"input":3,"output":4}]}],
        "buffers":[{"byteLength":72,"uri":"a%20b.bin"}],"bufferViews":[{"buffer":0,"byteLength":72}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"},
                     {"bufferView":0,"byteOffset":12,"componentType":5121,"count":1,"type":"VEC4"},
                     {"bufferView":0,"byteOffset":16,"componentType":5126,"count":1,"type":"VEC4"},
                     {"bufferView":0,"byteOffset":32,"componentType":5126,"count":2,"type":"SCALAR"},
                     {"bufferView":0,"byteOffset":40,"componentType":5126,"count":2,"type":"VEC4"}]}"#;
    let file = File::open(json.as_bytes(), |name| (name == "a b.bin").then(|| buffer.clone())).expect("known");
    assert_eq!((file.clip_count(), file.end_secs(0), file.is_plain()), (1, 1.0, true));
    let stored: Vec<_> = file.primitives(None).into_iter().map(|p| (p.node, p.stored)).collect();
    assert_eq!(stored, [(0, vec![[1.0, 0.0, 0.0]])]);
    // The second joint stands 3 above, which lifts the point by a half of it; the node of the mesh counts for nothing.
    let eighth = std::f64::consts::FRAC_PI_4;
    let at_half = [0.5 * eighth.cos() + 0.5, 0.5 * eighth.sin(), 1.5];
    for (moment, expected) in [
        (None, [1.0, 0.0, 1.5]),
        (Some((0, 0.5)), at_half),
        (Some((0, 1.0)), [0.5, 0.5, 1.5]),
        (Some((0, 9.0)), [0.5, 0.5, 1.5]),
    ] {
        let distance = largest_distance(&file.shown(moment), &vec![vec![Some(expected)]]).expect("one point");
        assert!(distance < 1e-6, "{moment:?}: {:?}", file.shown(moment));
    }
}
