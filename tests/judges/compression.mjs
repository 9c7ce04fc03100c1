#!/usr/bin/env node
// Judges what anyrig makes of compressed glTF, and what it compresses itself.
//
//   node tests/judges/compression.mjs ANYRIG CORPUS FOLDER [VALID]
//
// 1. Files of the corpus are compressed by npm `meshoptimizer` (both extensions, all modes and filters), `gltfpack` and
//    `draco3d`; the corpus' own compressed files join them. Each is decompressed by `meshoptimizer` or `draco3d` too.
//    anyrig converts both; what comes out must be the same, byte for byte. After a filter, whose results the
//    specification leaves free by one unit, numbers may differ by that.
// 2. Files are compressed by anyrig; what `meshoptimizer` decompresses and what anyrig reads must be the same. The
//    decompressed files are left in FOLDER/own for the validator, of the inputs that the file VALID lists.
//
// Prints counts; ends 1 on a difference. Everything that is written lies in FOLDER.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  Bin, DRACO, MESHOPT, arrayOf, copy, draco, elementBytes, glb, judges, meshopt, read, widthOf, withoutDraco,
  withoutMeshopt,
} from "./gltf.mjs";

const [anyrig, corpus, folder, list] = process.argv.slice(2).map((argument) => path.resolve(argument));
const valid = list && new Set(readFileSync(list, "utf8").split("\n"));
/** Larger files are for the long run. */
const MOST_BYTES = Number(process.env.ANYRIG_JUDGE_BYTES ?? 1 << 17);
/** Options with which anyrig writes. */
const OWN = ["meshopt=ext", "meshopt=khr", "quantize=small,meshopt=khr", "quantize=fine,meshopt=ext"];
const counts = {};
const wrong = [];
const count = (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by);

/** Files that anyrig and this script can both read, small ones. */
function inputs() {
  const entries = readdirSync(corpus, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(glb|gltf|vrm)$/i.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    // Hundreds of files of a few bytes, most of them broken on purpose.
    .filter((file) => !file.includes("gltf-validator"))
    .sort();
  return files.flatMap((file) => {
    try {
      const content = read(file);
      const size = content.buffers.reduce((sum, buffer) => sum + (buffer?.length ?? 0), 0);
      const isUsable = content.json.asset?.version === "2.0" && content.json.meshes && size <= MOST_BYTES;
      return isUsable ? [{ file, name: path.relative(corpus, file).replace(/[/.]/g, "_"), ...content }] : [];
    } catch {
      return [];
    }
  });
}

function convert(file, name, options = []) {
  const out = path.join(folder, "out", name);
  mkdirSync(path.dirname(out), { recursive: true });
  execFileSync(anyrig, ["convert", file, "--to", "glb", "--via", "scene", "-o", out, "-q", "--force", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  return readFileSync(out);
}

const isReadable = (input) => {
  try {
    convert(input.file, `${input.name}/plain.glb`);
    return true;
  } catch {
    return false;
  }
};

/** Writes both forms and compares what anyrig makes of them. */
function compare(what, name, packed, plain, isFiltered = false) {
  const dir = path.join(folder, "in", what, name);
  mkdirSync(dir, { recursive: true });
  const files = [packed, plain].map((bytes, index) => {
    if (typeof bytes === "string") return bytes;
    const file = path.join(dir, index === 0 ? "packed.glb" : "plain.glb");
    writeFileSync(file, bytes);
    return file;
  });
  try {
    const [a, b] = files.map((file, index) => convert(file, `${what}/${name}/${index}/x.glb`));
    const isSame = a.equals(b) || isEqual(what, name) || (isFiltered && isNear(what, name));
    count(isSame ? `${what}: same` : `${what}: DIFFERENT`);
    if (!isSame) wrong.push(`${what} ${name}: the decompressed data differ`);
  } catch (error) {
    const message = String(error.stderr ?? error).trim().split("\n")[0];
    // gltfpack makes use of extensions that are another matter.
    const isOther = /cannot be read without the extension (?!.*(draco|meshopt))/.test(message);
    count(isOther ? `${what}: requires another extension` : `${what}: FAILED`);
    if (!isOther) wrong.push(`${what} ${name}: ${message}`);
  }
}

const outputs = (what, name) => [0, 1].map((index) => read(path.join(folder, "out", what, name, String(index), "x.glb")));

/** True when both outputs have the same bytes and values; this script spells the numbers of carried values its own way. */
function isEqual(what, name) {
  const [a, b] = outputs(what, name);
  const isSameJson = JSON.stringify(a.json) === JSON.stringify(b.json);
  return isSameJson && a.buffers.every((buffer, index) => buffer.equals(b.buffers[index]));
}

/** True when both outputs have the same accessors, with numbers that differ by no more than one unit of 16 bits. */
function isNear(what, name) {
  const [a, b] = outputs(what, name);
  return (a.json.accessors ?? []).every((accessor, index) => {
    const other = b.json.accessors[index];
    if (other?.count !== accessor.count || other.componentType !== accessor.componentType) return false;
    const [x, y] = [[a, accessor], [b, other]].map(([file, of]) => numbers(file, of));
    // One unit, and what rounding to unit length makes of it.
    return x.every((value, i) => Math.abs(value - y[i]) <= 2.5 / 32767);
  });
}

function numbers(file, accessor) {
  if (accessor.bufferView === undefined) return [];
  const view = file.json.bufferViews[accessor.bufferView];
  const stride = view.byteStride ?? elementBytes(accessor);
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const [Type, width] = [arrayOf(accessor), widthOf(accessor)];
  return Array.from({ length: accessor.count }, (_, i) => {
    const at = start + i * stride;
    return [...new Type(Uint8Array.from(file.buffers[0].subarray(at, at + elementBytes(accessor))).buffer)].slice(0, width);
  }).flat();
}

/** How each accessor is used: `indices`, `strip`, or an attribute's name. */
function uses(json) {
  const found = new Map();
  const note = (accessor, use) => {
    if (accessor === undefined) return;
    found.set(accessor, found.has(accessor) && found.get(accessor) !== use ? "mixed" : use);
  };
  for (const primitive of json.meshes.flatMap((mesh) => mesh.primitives)) {
    const isList = (primitive.mode ?? 4) === 4 && (json.accessors[primitive.indices]?.count ?? 0) % 3 === 0;
    note(primitive.indices, isList ? "indices" : "strip");
    Object.entries(primitive.attributes).forEach(([name, accessor]) => note(accessor, name));
    (primitive.targets ?? []).flatMap((target) => Object.values(target)).forEach((accessor) => note(accessor, "delta"));
  }
  for (const animation of json.animations ?? []) {
    for (const channel of animation.channels) {
      const sampler = animation.samplers[channel.sampler];
      note(sampler.input, "time");
      note(sampler.output, sampler.interpolation === "CUBICSPLINE" ? "cubic" : channel.target.path);
    }
  }
  return found;
}

/** Compresses each accessor's elements in a view of their own. */
function compressed(input, encoder, { extension, version, filters }) {
  const json = copy(input.json);
  const bin = new Bin();
  const views = [];
  let placeholder = 0;
  const usedBy = uses(json);
  const plainView = (index) => {
    const { byteOffset = 0, byteLength, ...rest } = input.json.bufferViews[index];
    const bytes = input.buffers[rest.buffer].subarray(byteOffset, byteOffset + byteLength);
    views.push({ ...rest, buffer: 0, byteOffset: bin.add(bytes), byteLength });
    return views.length - 1;
  };
  for (const [index, accessor] of (json.accessors ?? []).entries()) {
    const packed = pack(input, accessor, usedBy.get(index), encoder, { version, filters });
    if (!packed) {
      if (accessor.bufferView !== undefined) accessor.bufferView = plainView(accessor.bufferView);
    } else {
      const { mode, filter, stride, bytes } = packed;
      const view = { buffer: 1, byteOffset: placeholder, byteLength: stride * accessor.count };
      if (mode === "ATTRIBUTES" && !["time", "cubic", "rotation", "translation", "scale", "weights"].includes(usedBy.get(index))) {
        view.byteStride = stride;
      }
      const description = { buffer: 0, byteOffset: bin.add(bytes), byteLength: bytes.length, byteStride: stride, mode };
      view.extensions = { [extension]: { ...description, count: accessor.count, ...(filter ? { filter } : {}) } };
      placeholder += view.byteLength + ((4 - (view.byteLength % 4)) % 4);
      views.push(view);
      accessor.bufferView = views.length - 1;
      delete accessor.byteOffset;
      count(`streams of ${extension}: ${mode}${filter ? ` ${filter}` : ""}`);
    }
    for (const part of [accessor.sparse?.indices, accessor.sparse?.values]) {
      if (part) part.bufferView = plainView(part.bufferView);
    }
  }
  for (const image of json.images ?? []) {
    if (image.bufferView !== undefined) image.bufferView = plainView(image.bufferView);
    else if (image.uri && !image.uri.startsWith("data:")) delete image.uri;
  }
  if (placeholder === 0) return null;
  json.bufferViews = views;
  json.buffers = [{ byteLength: bin.length }, { byteLength: placeholder, extensions: { [extension]: { fallback: true } } }];
  for (const list of ["extensionsUsed", "extensionsRequired"]) json[list] = [...(json[list] ?? []), extension];
  return glb(json, bin.bytes());
}

function pack(input, accessor, use, encoder, { version, filters }) {
  if (accessor.bufferView === undefined || accessor.sparse || accessor.count === 0 || use === undefined) return null;
  const view = input.json.bufferViews[accessor.bufferView];
  const size = elementBytes(accessor);
  const from = view.byteStride ?? size;
  const isIndex = use === "indices" || use === "strip";
  if (isIndex && (from !== size || size === 1)) return null;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const source = input.buffers[view.buffer];
  const stride = isIndex ? size : Math.ceil(size / 4) * 4;
  if (!isIndex && accessor.type === "SCALAR" && size % 4 !== 0) return null;
  const bytes = Buffer.alloc(stride * accessor.count);
  for (let i = 0; i < accessor.count; i += 1) source.copy(bytes, i * stride, start + i * from, start + i * from + size);
  if (isIndex) {
    const mode = use === "indices" ? "TRIANGLES" : "INDICES";
    return { mode, stride, bytes: encoder.encodeGltfBuffer(bytes, accessor.count, stride, mode) };
  }
  const filtered = filters && accessor.componentType === 5126 ? filter(accessor, use, bytes, encoder) : null;
  const level = (data, wide) => encoder.encodeVertexBufferLevel(data, accessor.count, wide, 2, version);
  if (filtered) {
    return { mode: "ATTRIBUTES", filter: filtered.name, stride: filtered.stride, bytes: level(filtered.data, filtered.stride) };
  }
  return { mode: "ATTRIBUTES", stride, bytes: level(bytes, stride) };
}

/** Elements made ready for a filter, with the accessor changed to what comes out of it. */
function filter(accessor, use, bytes, encoder) {
  const floats = new Float32Array(Uint8Array.from(bytes).buffer);
  const width = widthOf(accessor);
  const four = (fill) => {
    const out = new Float32Array(accessor.count * 4).fill(fill);
    for (let i = 0; i < accessor.count * width; i += 1) out[Math.floor(i / width) * 4 + (i % width)] = floats[i];
    return out;
  };
  const stored = (name, data, type) => {
    Object.assign(accessor, { componentType: type, normalized: true });
    delete accessor.min;
    delete accessor.max;
    return { name, data, stride: 8 };
  };
  const isUnit = (values) => Math.abs(Math.hypot(...values) - 1) < 1e-3;
  const every = (n) => Array.from({ length: accessor.count }, (_, i) => floats.subarray(i * width, i * width + n)).every(isUnit);
  if ((use === "NORMAL" || use === "TANGENT") && every(3)) {
    return stored("OCTAHEDRAL", encoder.encodeFilterOct(four(1), accessor.count, 8, 12), 5122);
  }
  if (use === "rotation" && every(4)) {
    return stored("QUATERNION", encoder.encodeFilterQuat(floats, accessor.count, 8, 14), 5122);
  }
  if (use.startsWith("COLOR") && floats.every((value) => value >= 0 && value <= 1)) {
    return stored("COLOR", encoder.encodeFilterColor(four(1), accessor.count, 8, 12), 5123);
  }
  if (use === "delta" || use === "translation" || use === "POSITION") {
    return { name: "EXPONENTIAL", data: encoder.encodeFilterExp(floats, accessor.count, width * 4, 15), stride: width * 4 };
  }
  return null;
}

const DRACO_ATTRIBUTES = { POSITION: "POSITION", NORMAL: "NORMAL", TEXCOORD_0: "TEX_COORD", COLOR_0: "COLOR" };

/** Compresses triangles by npm `draco3d`. */
function dracoed(input, module, method) {
  const json = copy(input.json);
  const bin = new Bin();
  json.bufferViews = (json.bufferViews ?? []).map(({ byteOffset = 0, byteLength, ...rest }) => {
    const bytes = input.buffers[rest.buffer].subarray(byteOffset, byteOffset + byteLength);
    return { ...rest, buffer: 0, byteOffset: bin.add(bytes), byteLength };
  });
  for (const image of json.images ?? []) if (image.uri && !image.uri.startsWith("data:")) delete image.uri;
  const usedBy = new Map();
  const primitives = json.meshes.flatMap((mesh) => mesh.primitives);
  const accessorsOf = (primitive) => [primitive.indices, ...Object.values(primitive.attributes)];
  primitives.flatMap(accessorsOf).forEach((index) => usedBy.set(index, (usedBy.get(index) ?? 0) + 1));
  let done = 0;
  for (const primitive of primitives) {
    const isSimple = accessorsOf(primitive).every((index) => {
      const accessor = json.accessors[index];
      return accessor && accessor.bufferView !== undefined && !accessor.sparse && usedBy.get(index) === 1 && accessor.count > 0;
    });
    if ((primitive.mode ?? 4) !== 4 || !isSimple || primitive.targets || primitive.extensions?.[DRACO]) continue;
    done += dracoPrimitive(input, json, primitive, bin, module, method) ? 1 : 0;
  }
  if (done === 0) return null;
  count(`primitives of Draco, ${method}`, done);
  json.buffers = [{ byteLength: bin.length }];
  for (const list of ["extensionsUsed", "extensionsRequired"]) json[list] = [...(json[list] ?? []), DRACO];
  return glb(json, bin.bytes());
}

function dracoPrimitive(input, json, primitive, bin, module, method) {
  const elements = (index) => {
    const values = numbers({ json: input.json, buffers: input.buffers }, input.json.accessors[index]);
    return arrayOf(json.accessors[index]).from(values);
  };
  if (input.json.accessors.some((accessor) => (input.json.bufferViews[accessor.bufferView]?.buffer ?? 0) !== 0)) return false;
  const points = Object.values(primitive.attributes).map((index) => json.accessors[index].count);
  const given = Uint32Array.from(elements(primitive.indices));
  // The encoder does not survive what is broken on purpose.
  const isSound = points.every((number) => number === points[0]) && given.every((corner) => corner < points[0]);
  if (!isSound || given.length === 0 || given.length % 3 !== 0) return false;
  const encoder = new module.Encoder();
  const builder = new module.MeshBuilder();
  const mesh = new module.Mesh();
  builder.AddFacesToMesh(mesh, given.length / 3, given);
  const ids = {};
  for (const [name, index] of Object.entries(primitive.attributes)) {
    const accessor = json.accessors[index];
    const kind = module[DRACO_ATTRIBUTES[name] ?? "GENERIC"];
    const add = { 5120: "AddInt8Attribute", 5121: "AddUInt8Attribute", 5122: "AddInt16Attribute", 5123: "AddUInt16Attribute", 5125: "AddUInt32Attribute", 5126: "AddFloatAttribute" }[accessor.componentType];
    ids[name] = builder[add](mesh, kind, accessor.count, widthOf(accessor), elements(index));
  }
  const isSequential = method === "sequential";
  encoder.SetSpeedOptions(isSequential ? 10 : 3, isSequential ? 10 : 3);
  encoder.SetEncodingMethod(isSequential ? module.MESH_SEQUENTIAL_ENCODING : module.MESH_EDGEBREAKER_ENCODING);
  for (const [kind, bits] of [["POSITION", 14], ["NORMAL", 10], ["TEX_COORD", 12], ["COLOR", 8], ["GENERIC", 12]]) {
    encoder.SetAttributeQuantization(module[kind], bits);
  }
  const out = new module.DracoInt8Array();
  encoder.SetTrackEncodedProperties?.(true);
  const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
  if (length > 0) {
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i += 1) bytes[i] = out.GetValue(i);
    json.bufferViews.push({ buffer: 0, byteOffset: bin.add(bytes), byteLength: length });
    const points = encoder.GetNumberOfEncodedPoints();
    const faces = encoder.GetNumberOfEncodedFaces();
    for (const index of Object.values(primitive.attributes)) {
      Object.assign(json.accessors[index], { count: points });
      for (const key of ["bufferView", "byteOffset"]) delete json.accessors[index][key];
    }
    const indices = json.accessors[primitive.indices];
    Object.assign(indices, { count: faces * 3, componentType: 5125 });
    for (const key of ["bufferView", "byteOffset", "min", "max"]) delete indices[key];
    const attributes = Object.fromEntries(Object.entries(ids));
    primitive.extensions = { ...primitive.extensions, [DRACO]: { bufferView: json.bufferViews.length - 1, attributes } };
  }
  [out, mesh, builder, encoder].forEach((object) => module.destroy(object));
  return length > 0;
}

const { decoder, encoder } = await meshopt();
const modules = await draco();
const gltfpack = path.join(path.dirname(judges.resolve("gltfpack/package.json")), "cli.js");

for (const input of inputs()) {
  if (JSON.stringify(input.json.meshes).includes(DRACO)) {
    try {
      compare("Draco of the corpus", input.name, input.file, withoutDraco(input, modules.decoder));
    } catch (error) {
      count("Draco of the corpus: not decoded by draco3d either");
    }
    continue;
  }
  if (!isReadable(input)) continue;
  count("inputs");
  for (const [extension, version] of [[MESHOPT[0], 0], [MESHOPT[1], 1]]) {
    for (const filters of [false, true]) {
      const packed = compressed(input, encoder, { extension, version, filters: filters && version === 1 });
      if (!packed || (filters && version === 0)) continue;
      const file = path.join(folder, "packed.glb");
      writeFileSync(file, packed);
      const what = `${extension}${filters ? " with filters" : ""}`;
      compare(what, input.name, packed, withoutMeshopt(read(file), decoder), filters);
    }
  }
  for (const method of ["edgebreaker", "sequential"]) {
    const packed = dracoed(input, modules.encoder, method);
    if (!packed) continue;
    const file = path.join(folder, "packed.glb");
    writeFileSync(file, packed);
    try {
      compare(`Draco, ${method}`, input.name, packed, withoutDraco(read(file), modules.decoder));
    } catch (error) {
      count(`Draco, ${method}: not decoded by draco3d either (${error.message})`);
    }
  }
  for (const option of ["-c", "-cc"]) {
    const file = path.join(folder, "gltfpack.glb");
    try {
      execFileSync(process.execPath, [gltfpack, "-i", input.file, "-o", file, option, "-noq"], { stdio: "pipe" });
    } catch {
      count("gltfpack: refused by gltfpack itself");
      continue;
    }
    const content = read(file);
    if (!JSON.stringify(content.json).includes("meshopt_compression")) continue;
    compare(`gltfpack ${option}`, input.name, readFileSync(file), withoutMeshopt(content, decoder), true);
  }
  for (const options of OWN) {
    const flags = options.split(",").flatMap((option) => ["-O", option]);
    try {
      const packed = convert(input.file, `own ${options}/${input.name}/x.glb`, flags);
      const content = read(path.join(folder, "out", `own ${options}`, input.name, "x.glb"));
      const views = (content.json.bufferViews ?? []).filter((view) => MESHOPT.some((name) => view.extensions?.[name]));
      count(`own ${options}: compressed views`, views.length);
      const plain = withoutMeshopt(content, decoder);
      // As of any file with filters: decoders may differ by one unit.
      const isFiltered = views.some((view) => Object.values(view.extensions).some((object) => object.filter));
      compare(`own ${options}`, input.name, packed, plain, isFiltered);
      if (valid && !valid.has(input.file)) continue;
      mkdirSync(path.join(folder, "own"), { recursive: true });
      writeFileSync(path.join(folder, "own", `${input.name}.${options.replace(/[=,]/g, "-")}.glb`), plain);
    } catch (error) {
      wrong.push(`own ${options} ${input.name}: ${String(error.stderr ?? error).trim().split("\n")[0]}`);
    }
  }
}

for (const [what, number] of Object.entries(counts).sort()) console.log(`${String(number).padStart(6)}  ${what}`);
for (const line of wrong) console.log(line);
if (!counts.inputs) console.error("no input was found, so nothing was judged");
process.exitCode = wrong.length === 0 && counts.inputs ? 0 : 1;
