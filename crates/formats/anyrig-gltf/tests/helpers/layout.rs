//! A judge of binary layout: what the glTF 2.0 specification demands of accessors and buffer views, told from the bytes of
//! a `.glb` alone. It shares nothing with the crate, so that both would have to be wrong in the same way.

use serde_json::Value;
use std::collections::BTreeMap;

/// A `.glb` taken apart (specification 4.4).
pub struct Parts {
    pub json: Value,
    bin: Vec<u8>,
}

/// What a buffer view is for (specification 3.6.1 and 5.11.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Vertices,
    Indices,
    Other,
}

const TARGETS: [(Use, Option<u64>); 3] =
    [(Use::Vertices, Some(34962)), (Use::Indices, Some(34963)), (Use::Other, None)];

const COMPRESSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

impl Parts {
    pub fn of(glb: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().expect("four")) as usize;
        assert_eq!((&glb[..4], word(4), word(8)), (&b"glTF"[..], 2, glb.len()));
        let length = word(12);
        assert!(length % 4 == 0 && &glb[16..20] == b"JSON");
        let json = serde_json::from_slice(&glb[20..20 + length]).expect("JSON");
        let bin = glb.get(28 + length..).unwrap_or_default().to_vec();
        Self { json, bin }
    }

    pub fn list(&self, name: &str) -> &[Value] {
        self.json[name].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn accessor(&self, index: &Value) -> &Value {
        &self.list("accessors")[number(index) as usize]
    }

    fn view(&self, index: u64) -> &Value {
        &self.list("bufferViews")[index as usize]
    }

    /// The numbers of an accessor as they are stored; `None` where they are compressed or sparse.
    pub fn stored(&self, accessor: &Value) -> Option<Vec<f64>> {
        let view = self.view(accessor["bufferView"].as_u64()?);
        if is_compressed(view) || !accessor["sparse"].is_null() {
            return None;
        }
        let (size, width) = (component_size(accessor), width(accessor));
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let stride = view["byteStride"].as_u64().unwrap_or(size * width);
        let at = |element: u64, column: u64| (start + element * stride + column * size) as usize;
        let places = (0..number(&accessor["count"])).flat_map(|e| (0..width).map(move |c| at(e, c)));
        Some(places.map(|at| self.component(accessor, at)).collect())
    }

    fn component(&self, accessor: &Value, at: usize) -> f64 {
        let bytes = |count: usize| &self.bin[at..at + count];
        match number(&accessor["componentType"]) {
            5120 => f64::from(self.bin[at] as i8),
            5121 => f64::from(self.bin[at]),
            5122 => f64::from(i16::from_le_bytes(bytes(2).try_into().expect("two"))),
            5123 => f64::from(u16::from_le_bytes(bytes(2).try_into().expect("two"))),
            5125 => f64::from(u32::from_le_bytes(bytes(4).try_into().expect("four"))),
            5126 => f64::from(f32::from_le_bytes(bytes(4).try_into().expect("four"))),
            other => panic!("{other} is not a component type"),
        }
    }
}

/// A whole number; 0 where there is none.
fn number(value: &Value) -> u64 {
    if value.is_null() { 0 } else { value.as_u64().unwrap_or_else(|| panic!("{value} is not a number from 0")) }
}

fn component_size(accessor: &Value) -> u64 {
    match number(&accessor["componentType"]) {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        other => panic!("{other} is not a component type"),
    }
}

fn width(accessor: &Value) -> u64 {
    match accessor["type"].as_str() {
        Some("SCALAR") => 1,
        Some("VEC2") => 2,
        Some("VEC3") => 3,
        Some("VEC4") => 4,
        // Of floats only, whose columns need no padding.
        Some("MAT4") => 16,
        other => panic!("{other:?} is not a type that is written"),
    }
}

fn is_compressed(view: &Value) -> bool {
    COMPRESSIONS.iter().any(|name| !view["extensions"][name].is_null())
}

/// What is wrong with a file; nothing when all is right.
pub fn faults(glb: &[u8]) -> Vec<String> {
    let parts = Parts::of(glb);
    let mut faults = Vec::new();
    for (i, view) in parts.list("bufferViews").iter().enumerate() {
        faults.extend(view_faults(&parts, view).into_iter().map(|fault| format!("view {i}: {fault}")));
    }
    for (i, accessor) in parts.list("accessors").iter().enumerate() {
        faults.extend(accessor_faults(&parts, accessor).into_iter().map(|fault| format!("accessor {i}: {fault}")));
    }
    let mut uses = Uses::default();
    mesh_faults(&parts, &mut uses, &mut faults);
    other_uses(&parts, &mut uses, &mut faults);
    uses.faults(&parts, &mut faults);
    faults
}

/// Specification 3.6.1 and 5.11; for compressed ones the extensions' own rules.
fn view_faults(parts: &Parts, view: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let end = number(&view["byteOffset"]) + number(&view["byteLength"]);
    let buffer = &parts.list("buffers")[number(&view["buffer"]) as usize];
    if number(&view["byteLength"]) == 0 || end > number(&buffer["byteLength"]) {
        faults.push(format!("its end {end} is not within its buffer, or it is empty"));
    }
    if number(&view["buffer"]) == 0 && end > parts.bin.len() as u64 {
        faults.push(format!("its end {end} is beyond the chunk"));
    }
    let stride = view["byteStride"].as_u64();
    if stride.is_some_and(|stride| !(4..=252).contains(&stride) || stride % 4 != 0) {
        faults.push(format!("the stride {stride:?} is not from 4 to 252 by 4"));
    }
    for object in COMPRESSIONS.iter().map(|name| &view["extensions"][name]).filter(|object| !object.is_null()) {
        let stride = number(&object["byteStride"]);
        if stride * number(&object["count"]) != number(&view["byteLength"]) {
            faults.push("compressed elements do not make the view".to_owned());
        }
        if object["mode"] == "ATTRIBUTES" && (!stride.is_multiple_of(4) || stride > 256) {
            faults.push(format!("compressed elements of {stride} bytes"));
        }
        if number(&object["byteOffset"]) + number(&object["byteLength"]) > parts.bin.len() as u64 {
            faults.push("the stream goes beyond the chunk".to_owned());
        }
    }
    faults
}

/// Specification 3.6.2.4 and 3.6.2.5.
fn accessor_faults(parts: &Parts, accessor: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let (size, count) = (component_size(accessor), number(&accessor["count"]));
    let is_float_or_u32 = size == 4;
    if accessor["normalized"] == true && is_float_or_u32 {
        faults.push("only whole numbers of one or two bytes are normalised".to_owned());
    }
    if count == 0 {
        faults.push("it has no elements".to_owned());
    }
    if let Some(view) = accessor["bufferView"].as_u64().map(|v| parts.view(v)) {
        let (start, offset) = (number(&view["byteOffset"]), number(&accessor["byteOffset"]));
        let element = size * width(accessor);
        let stride = view["byteStride"].as_u64().unwrap_or(element);
        if offset % size != 0 || (start + offset) % size != 0 {
            faults.push(format!("it starts at {start} + {offset}, which is not a multiple of {size}"));
        }
        if stride < element || stride % size != 0 {
            faults.push(format!("elements of {element} bytes do not fit the stride {stride}"));
        }
        if count > 0 && offset + stride * (count - 1) + element > number(&view["byteLength"]) {
            faults.push("it goes beyond its view".to_owned());
        }
    }
    let Some(stored) = parts.stored(accessor) else { return faults };
    for (key, better) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
        let Some(stated) = accessor[key].as_array() else { continue };
        if stated.len() as u64 != width(accessor) {
            faults.push(format!("{key} has {} numbers", stated.len()));
        }
        for (column, stated) in stated.iter().enumerate() {
            let numbers = stored.iter().skip(column).step_by(width(accessor) as usize);
            let actual = numbers.copied().reduce(better);
            // Floats are compared as floats.
            let stated = stated.as_f64().map(|n| if size == 4 { f64::from(n as f32) } else { n });
            if stated != actual {
                faults.push(format!("{key} {column} is {stated:?}, not {actual:?}"));
            }
        }
    }
    faults
}

/// What views are used for, and by how many accessors of vertices each.
#[derive(Default)]
struct Uses {
    of_view: BTreeMap<u64, Use>,
    vertices: BTreeMap<u64, std::collections::BTreeSet<u64>>,
}

impl Uses {
    fn add(&mut self, parts: &Parts, accessor: &Value, of: Use, faults: &mut Vec<String>) {
        let Some(view) = parts.accessor(accessor)["bufferView"].as_u64() else { return };
        if of == Use::Vertices {
            self.vertices.entry(view).or_default().insert(number(accessor));
        }
        self.add_view(view, of, faults);
    }

    fn add_view(&mut self, view: u64, of: Use, faults: &mut Vec<String>) {
        let known = *self.of_view.entry(view).or_insert(of);
        if known != of {
            faults.push(format!("view {view} is for {known:?} and {of:?}"));
        }
    }

    fn faults(&self, parts: &Parts, faults: &mut Vec<String>) {
        for (view, of) in &self.of_view {
            let object = parts.view(*view);
            let target = TARGETS.iter().find(|(use_of, _)| use_of == of).and_then(|(_, target)| *target);
            if object["target"].as_u64() != target {
                faults.push(format!("view {view}: the target {} is not for {of:?}", object["target"]));
            }
            if *of != Use::Vertices && !object["byteStride"].is_null() {
                faults.push(format!("view {view}: a stride although it is for {of:?}"));
            }
            let shared_by = self.vertices.get(view).map_or(0, |accessors| accessors.len());
            if shared_by > 1 && object["byteStride"].is_null() {
                faults.push(format!("view {view}: {shared_by} accessors share it without a stride"));
            }
        }
        let unused = (0..parts.list("bufferViews").len() as u64).find(|view| !self.of_view.contains_key(view));
        faults.extend(unused.map(|view| format!("view {view} is for nothing")));
    }
}

fn mesh_faults(parts: &Parts, uses: &mut Uses, faults: &mut Vec<String>) {
    let required = parts.json["extensionsRequired"].as_array().cloned().unwrap_or_default();
    let may_round = required.iter().any(|name| name == "KHR_mesh_quantization");
    let primitives = parts.list("meshes").iter().flat_map(|m| m["primitives"].as_array().expect("primitives"));
    for primitive in primitives {
        let attributes = primitive["attributes"].as_object().expect("attributes");
        let targets = primitive["targets"].as_array().into_iter().flatten().filter_map(Value::as_object);
        let points = attributes.values().map(|a| number(&parts.accessor(a)["count"])).next().unwrap_or(0);
        for (name, index) in attributes.iter().chain(targets.flatten()) {
            uses.add(parts, index, Use::Vertices, faults);
            let accessor = parts.accessor(index);
            if number(&accessor["count"]) != points {
                faults.push(format!("{name} is not of {points} points"));
            }
            if name == "POSITION" && (accessor["min"].is_null() || accessor["max"].is_null()) {
                faults.push("a position without bounds".to_owned());
            }
            attribute_faults(parts, name, accessor, may_round, faults);
        }
        if !primitive["indices"].is_null() {
            uses.add(parts, &primitive["indices"], Use::Indices, faults);
            index_faults(parts, parts.accessor(&primitive["indices"]), points, faults);
        }
    }
}

/// Specification 3.6.2.4 and 3.7.2.1, and the table of `KHR_mesh_quantization`.
fn attribute_faults(parts: &Parts, name: &str, accessor: &Value, may_round: bool, faults: &mut Vec<String>) {
    let Some(view) = accessor["bufferView"].as_u64().map(|v| parts.view(v)) else { return };
    let size = component_size(accessor);
    let stride = view["byteStride"].as_u64().unwrap_or(size * width(accessor));
    if !stride.is_multiple_of(4) || !number(&accessor["byteOffset"]).is_multiple_of(4) {
        faults.push(format!("{name}: elements do not start at multiples of four"));
    }
    let is_normalised = accessor["normalized"] == true;
    let component = number(&accessor["componentType"]);
    let semantic = name.split('_').next().unwrap_or_default();
    let in_core = match semantic {
        "POSITION" | "NORMAL" | "TANGENT" => component == 5126,
        "TEXCOORD" | "COLOR" | "WEIGHTS" => component == 5126 || (is_normalised && matches!(component, 5121 | 5123)),
        "JOINTS" => !is_normalised && matches!(component, 5121 | 5123),
        _ => true,
    };
    let in_extension = match semantic {
        "POSITION" | "TEXCOORD" => component != 5125,
        "NORMAL" | "TANGENT" => is_normalised && matches!(component, 5120 | 5122),
        _ => false,
    };
    let is_allowed = in_core || (may_round && in_extension);
    if !is_allowed {
        faults.push(format!("{name} may not be of {component}, normalised: {is_normalised}"));
    }
    if semantic == "WEIGHTS" && name == "WEIGHTS_0" && component != 5126 {
        let whole = if component == 5121 { 255.0 } else { 65535.0 };
        let sums = parts.stored(accessor).unwrap_or_default();
        if sums.chunks_exact(4).any(|four| four.iter().sum::<f64>() > whole) {
            faults.push(format!("weights sum to more than {whole}"));
        }
    }
}

/// Specification 3.7.2.1: unsigned, below the number of points, and never the greatest number of their type.
fn index_faults(parts: &Parts, accessor: &Value, points: u64, faults: &mut Vec<String>) {
    let greatest = match number(&accessor["componentType"]) {
        5121 => f64::from(u8::MAX),
        5123 => f64::from(u16::MAX),
        5125 => f64::from(u32::MAX),
        other => return faults.push(format!("indices of {other}")),
    };
    let stored = parts.stored(accessor).unwrap_or_default();
    if stored.iter().any(|index| *index >= points as f64 || *index == greatest) {
        faults.push(format!("an index is not below {points}"));
    }
}

fn other_uses(parts: &Parts, uses: &mut Uses, faults: &mut Vec<String>) {
    for sampler in parts.list("animations").iter().flat_map(|a| a["samplers"].as_array().expect("samplers")) {
        uses.add(parts, &sampler["input"], Use::Other, faults);
        uses.add(parts, &sampler["output"], Use::Other, faults);
        let input = parts.accessor(&sampler["input"]);
        if input["min"].is_null() || input["max"].is_null() || input["componentType"] != 5126 {
            faults.push("key times are not floats with bounds".to_owned());
        }
    }
    for skin in parts.list("skins").iter().filter(|s| !s["inverseBindMatrices"].is_null()) {
        uses.add(parts, &skin["inverseBindMatrices"], Use::Other, faults);
        let binds = parts.accessor(&skin["inverseBindMatrices"]);
        let joints = skin["joints"].as_array().map_or(0, Vec::len) as u64;
        if binds["type"] != "MAT4" || number(&binds["count"]) < joints {
            faults.push(format!("inverse bind matrices do not fit {joints} joints"));
        }
    }
    for sparse in parts.list("accessors").iter().map(|a| &a["sparse"]).filter(|s| !s.is_null()) {
        for part in ["indices", "values"] {
            uses.add_view(number(&sparse[part]["bufferView"]), Use::Other, faults);
        }
    }
    let instances = parts.list("nodes").iter().map(|n| &n["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]);
    for accessor in instances.filter_map(Value::as_object).flat_map(|attributes| attributes.values()) {
        uses.add(parts, accessor, Use::Other, faults);
    }
    for image in parts.list("images").iter().filter_map(|i| i["bufferView"].as_u64()) {
        uses.add_view(image, Use::Other, faults);
    }
}
