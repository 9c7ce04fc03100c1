//! A plain evaluator of GLB files for judges: the shortest way from the JSON and the bytes to points in space. It shares
//! no code with the reader, the writer or the animation engine that it judges (glTF 2.0 specification, 3.5 to 3.11).
#![allow(dead_code, clippy::disallowed_methods, reason = "a judge uses the maths of the system")]

use anyrig::scene::glam::{DMat4, DQuat, DVec3};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The numbers of an accessor, and how many there are of each element.
type Numbers = Rc<(Vec<f64>, usize)>;

/// A file as its JSON and its bytes.
pub struct Glb {
    pub json: Value,
    bin: Vec<u8>,
    /// Accessors that were read.
    known: RefCell<BTreeMap<u64, Numbers>>,
}

/// The points of one primitive.
pub struct Points {
    pub node: usize,
    /// As stored.
    pub stored: Vec<DVec3>,
    /// In the scene, blended, skinned and placed.
    pub shown: Vec<DVec3>,
}

/// What a node does at some moment.
#[derive(Clone)]
struct Moment {
    matrix: Option<DMat4>,
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
    weights: Vec<f64>,
}

impl Glb {
    pub fn new(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        assert_eq!(&bytes[..4], b"glTF");
        let json = serde_json::from_slice(&bytes[20..20 + word(12)]).expect("JSON");
        let rest = 20 + word(12);
        let bin = if rest < bytes.len() { bytes[rest + 8..rest + 8 + word(rest)].to_vec() } else { Vec::new() };
        Self { json, bin, known: RefCell::default() }
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.json[name].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn node_name(&self, node: usize) -> &str {
        self.list("nodes")[node]["name"].as_str().unwrap_or("")
    }

    /// An accessor by its number.
    pub fn accessor(&self, index: &Value) -> Numbers {
        let index = index.as_u64().expect("an accessor");
        if let Some(known) = self.known.borrow().get(&index) {
            return known.clone();
        }
        let read = Rc::new(self.read(&self.list("accessors")[index as usize]));
        self.known.borrow_mut().insert(index, read.clone());
        read
    }

    fn read(&self, accessor: &Value) -> (Vec<f64>, usize) {
        let width = match accessor["type"].as_str().expect("a type") {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let count = number(&accessor["count"], 0);
        let component = number(&accessor["componentType"], 0);
        let normalized = accessor["normalized"].as_bool().unwrap_or(false);
        let mut values = match accessor.get("bufferView") {
            Some(view) => {
                self.numbers(view, number(&accessor["byteOffset"], 0), (component, normalized), (count, width))
            }
            None => vec![0.0; count * width],
        };
        if let Some(sparse) = accessor.get("sparse") {
            let (count, at) = (number(&sparse["count"], 0), |part: &Value| number(&part["byteOffset"], 0));
            let (indices, changed) = (&sparse["indices"], &sparse["values"]);
            let kind = (number(&indices["componentType"], 0), false);
            let indices = self.numbers(&indices["bufferView"], at(indices), kind, (count, 1));
            let new = self.numbers(&changed["bufferView"], at(changed), (component, normalized), (count, width));
            for (index, new) in indices.iter().zip(new.chunks(width)) {
                values[*index as usize * width..][..width].copy_from_slice(new);
            }
        }
        (values, width)
    }

    fn numbers(
        &self,
        view: &Value,
        offset: usize,
        (component, normalized): (usize, bool),
        (count, width): (usize, usize),
    ) -> Vec<f64> {
        let view = &self.list("bufferViews")[view.as_u64().expect("a view") as usize];
        let size = match component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let start = number(&view["byteOffset"], 0) + offset;
        let stride = number(&view["byteStride"], size * width);
        let one = |at: usize| {
            let b = &self.bin[at..at + size];
            let (value, most) = match component {
                5120 => (f64::from(b[0] as i8), 127.0),
                5121 => (f64::from(b[0]), 255.0),
                5122 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
                5123 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
                5125 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
                _ => (f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
            };
            if normalized { (value / most).max(-1.0) } else { value }
        };
        (0..count).flat_map(|i| (0..width).map(move |j| start + i * stride + j * size)).map(one).collect()
    }

    pub fn vectors(&self, index: &Value) -> Vec<DVec3> {
        let numbers = self.accessor(index);
        assert_eq!(numbers.1, 3);
        numbers.0.chunks(3).map(DVec3::from_slice).collect()
    }

    /// Nodes as they stand without motion.
    fn rest(&self) -> Vec<Moment> {
        let floats = |value: &Value| -> Option<Vec<f64>> {
            Some(value.as_array()?.iter().map(|v| v.as_f64().expect("a number")).collect())
        };
        let moment = |node: &Value| {
            let mesh = node["mesh"].as_u64().map(|m| &self.list("meshes")[m as usize]);
            let weights = floats(&node["weights"]).or_else(|| floats(&mesh?["weights"]));
            Moment {
                matrix: floats(&node["matrix"]).map(|m| DMat4::from_cols_slice(&m)),
                translation: floats(&node["translation"]).map_or(DVec3::ZERO, |v| DVec3::from_slice(&v)),
                rotation: floats(&node["rotation"]).map_or(DQuat::IDENTITY, |v| DQuat::from_slice(&v)),
                scale: floats(&node["scale"]).map_or(DVec3::ONE, |v| DVec3::from_slice(&v)),
                weights: weights.unwrap_or_default(),
            }
        };
        self.list("nodes").iter().map(moment).collect()
    }

    /// Nodes at a time of an animation.
    fn moved(&self, animation: &Value, time: f64) -> Vec<Moment> {
        let mut nodes = self.rest();
        for channel in animation["channels"].as_array().expect("channels") {
            let target = &channel["target"];
            let Some(node) = target["node"].as_u64() else { continue };
            let sampler = &animation["samplers"][number(&channel["sampler"], 0)];
            let path = target["path"].as_str().expect("a path");
            let value = self.sample(sampler, path == "rotation", time);
            let node = &mut nodes[node as usize];
            match path {
                "translation" => node.translation = DVec3::from_slice(&value),
                "rotation" => node.rotation = DQuat::from_slice(&value).normalize(),
                "scale" => node.scale = DVec3::from_slice(&value),
                "weights" => node.weights = value,
                _ => {}
            }
        }
        nodes
    }

    fn sample(&self, sampler: &Value, is_rotation: bool, time: f64) -> Vec<f64> {
        let (times, values) = (self.accessor(&sampler["input"]), self.accessor(&sampler["output"]));
        let (times, values) = (&times.0, &values.0);
        let kind = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let is_cubic = kind == "CUBICSPLINE";
        let stride = values.len() / times.len();
        let width = if is_cubic { stride / 3 } else { stride };
        let key = |key: usize, part: usize| &values[key * stride + part * width..][..width];
        let main = usize::from(is_cubic);
        let next = times.partition_point(|t| *t <= time);
        if next == 0 {
            return key(0, main).to_vec();
        }
        if next == times.len() || kind == "STEP" {
            return key(next - 1, main).to_vec();
        }
        let (from, span) = (next - 1, times[next] - times[next - 1]);
        let t = (time - times[from]) / span;
        let (a, b) = (key(from, main), key(next, main));
        if is_cubic {
            let (out, into) = (key(from, 2), key(next, 0));
            let (t2, t3) = (t * t, t * t * t);
            return (0..width)
                .map(|i| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * a[i]
                        + span * (t3 - 2.0 * t2 + t) * out[i]
                        + (3.0 * t2 - 2.0 * t3) * b[i]
                        + span * (t3 - t2) * into[i]
                })
                .collect();
        }
        if is_rotation {
            return slerp(a, b, t);
        }
        a.iter().zip(b).map(|(a, b)| a + (b - a) * t).collect()
    }

    /// World matrices of all nodes.
    fn worlds(&self, nodes: &[Moment]) -> Vec<DMat4> {
        let local = |m: &Moment| {
            m.matrix.unwrap_or_else(|| DMat4::from_scale_rotation_translation(m.scale, m.rotation, m.translation))
        };
        let mut parents = vec![None; nodes.len()];
        for (index, node) in self.list("nodes").iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                parents[child.as_u64().expect("a node") as usize] = Some(index);
            }
        }
        let world = |index: usize| {
            let chain = std::iter::successors(Some(index), |at| parents[*at]);
            chain.fold(DMat4::IDENTITY, |below, at| local(&nodes[at]) * below)
        };
        (0..nodes.len()).map(world).collect()
    }

    /// All points at rest, or at a time of the animation of a number.
    pub fn points(&self, moment: Option<(usize, f64)>) -> Vec<Points> {
        let nodes = match moment {
            Some((animation, time)) => self.moved(&self.list("animations")[animation], time),
            None => self.rest(),
        };
        let worlds = self.worlds(&nodes);
        let mut all = Vec::new();
        for (index, node) in self.list("nodes").iter().enumerate() {
            let Some(mesh) = node["mesh"].as_u64() else { continue };
            let binds = node["skin"].as_u64().map(|s| self.joints(s as usize, &worlds));
            for primitive in self.list("meshes")[mesh as usize]["primitives"].as_array().expect("primitives") {
                let stored = self.vectors(&primitive["attributes"]["POSITION"]);
                let shown = self.blended(primitive, &stored, &nodes[index].weights);
                let shown = match &binds {
                    Some(binds) => self.skinned(primitive, &shown, binds),
                    None => shown.iter().map(|p| worlds[index].transform_point3(*p)).collect(),
                };
                all.push(Points { node: index, stored, shown });
            }
        }
        all
    }

    fn joints(&self, skin: usize, worlds: &[DMat4]) -> Vec<DMat4> {
        let skin = &self.list("skins")[skin];
        let joints = skin["joints"].as_array().expect("joints");
        let binds = skin.get("inverseBindMatrices").map(|b| self.accessor(b));
        let bind = |i: usize| binds.as_ref().map_or(DMat4::IDENTITY, |b| DMat4::from_cols_slice(&b.0[i * 16..][..16]));
        joints.iter().enumerate().map(|(i, j)| worlds[j.as_u64().expect("a node") as usize] * bind(i)).collect()
    }

    fn blended(&self, primitive: &Value, stored: &[DVec3], weights: &[f64]) -> Vec<DVec3> {
        let mut points = stored.to_vec();
        let targets = primitive["targets"].as_array().map_or(&[][..], Vec::as_slice);
        for (target, weight) in targets.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            let Some(deltas) = target.get("POSITION") else { continue };
            points.iter_mut().zip(self.vectors(deltas)).for_each(|(p, d)| *p += d * *weight);
        }
        points
    }

    fn skinned(&self, primitive: &Value, points: &[DVec3], joints: &[DMat4]) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; points.len()];
        for set in 0.. {
            let (joint, weight) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            let attributes = &primitive["attributes"];
            let (Some(joint), Some(weight)) = (attributes.get(joint), attributes.get(weight)) else { break };
            let (joint, weight) = (self.accessor(joint), self.accessor(weight));
            let (joint, weight) = (&joint.0, &weight.0);
            for (index, point) in points.iter().enumerate() {
                for i in (index * 4..index * 4 + 4).filter(|i| weight[*i] != 0.0) {
                    sums[index] += joints[joint[i] as usize].transform_point3(*point) * weight[i];
                }
            }
        }
        sums
    }
}

fn number(value: &Value, default: usize) -> usize {
    value.as_u64().map_or(default, |v| v as usize)
}

/// Along the shorter arc (specification, appendix C.4).
fn slerp(a: &[f64], b: &[f64], t: f64) -> Vec<f64> {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let sign = dot.signum();
    let angle = dot.abs().min(1.0).acos();
    let (from, to) = if angle < 1e-6 {
        (1.0 - t, t)
    } else {
        (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin())
    };
    a.iter().zip(b).map(|(a, b)| a * from + b * to * sign).collect()
}
