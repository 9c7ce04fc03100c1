// What the judges share to read and write glTF: containers, buffers, and compressed data through npm `meshoptimizer` and
// `draco3d`.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const judges = createRequire(path.join(root, ".judges", "index.js"));

export const MESHOPT = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
export const DRACO = "KHR_draco_mesh_compression";

const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };
const ARRAYS = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};

export const widthOf = (accessor) => WIDTHS[accessor.type];
export const arrayOf = (accessor) => ARRAYS[accessor.componentType];
export const elementBytes = (accessor) => widthOf(accessor) * arrayOf(accessor).BYTES_PER_ELEMENT;
export const copy = (value) => structuredClone(value);

/** The JSON of a file and the bytes of its buffers; `null` for buffers that have none. */
export function read(file) {
  const bytes = readFileSync(file);
  if (bytes.toString("latin1", 0, 4) !== "glTF") {
    const json = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
    return { file, json, buffers: (json.buffers ?? []).map((buffer) => follow(file, buffer.uri)) };
  }
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
  const start = 20 + length + 8;
  const bin = start <= bytes.length ? bytes.subarray(start, start + bytes.readUInt32LE(20 + length)) : null;
  const buffers = (json.buffers ?? []).map((buffer, index) =>
    buffer.uri === undefined && index === 0 ? bin : follow(file, buffer.uri),
  );
  return { file, json, buffers };
}

function follow(file, uri) {
  if (uri === undefined) return null;
  const data = /^data:[^,]*?(;base64)?,(.*)$/s.exec(uri);
  if (data) return data[1] ? Buffer.from(data[2], "base64") : Buffer.from(decodeURIComponent(data[2]), "latin1");
  return readFileSync(path.resolve(path.dirname(file), decodeURIComponent(uri)));
}

/** A GLB of a JSON and one buffer. */
export function glb(json, bin) {
  const text = Buffer.from(JSON.stringify(json));
  const padded = (bytes, by) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, by)]);
  const chunks = [[padded(text, 0x20), "JSON"]];
  if (bin.length > 0) chunks.push([padded(bin, 0), "BIN\0"]);
  const parts = chunks.flatMap(([data, kind]) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.write(kind, 4, "latin1");
    return [head, data];
  });
  const head = Buffer.from("glTF\x02\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32LE(12 + parts.reduce((sum, part) => sum + part.length, 0), 8);
  return Buffer.concat([head, ...parts]);
}

/** Collects views of one buffer. */
export class Bin {
  constructor() {
    this.parts = [];
    this.length = 0;
  }

  add(bytes) {
    const offset = this.length;
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    this.parts.push(bytes, padding);
    this.length += bytes.length + padding.length;
    return offset;
  }

  bytes() {
    return Buffer.concat(this.parts);
  }
}

export async function meshopt() {
  const { MeshoptDecoder, MeshoptEncoder } = judges("meshoptimizer");
  await MeshoptDecoder.ready;
  await MeshoptEncoder.ready;
  return { decoder: MeshoptDecoder, encoder: MeshoptEncoder };
}

export async function draco() {
  const library = judges("draco3d");
  return { decoder: await library.createDecoderModule({}), encoder: await library.createEncoderModule({}) };
}

/** The bytes of a view; decompressed by npm `meshoptimizer` where it is compressed. */
export function viewBytes(file, index, decoder) {
  const view = file.json.bufferViews[index];
  const packed = MESHOPT.map((name) => view.extensions?.[name]).find(Boolean);
  if (!packed) {
    const start = view.byteOffset ?? 0;
    return file.buffers[view.buffer].subarray(start, start + view.byteLength);
  }
  const start = packed.byteOffset ?? 0;
  const source = file.buffers[packed.buffer].subarray(start, start + packed.byteLength);
  const out = new Uint8Array(packed.count * packed.byteStride);
  decoder.decodeGltfBuffer(out, packed.count, packed.byteStride, source, packed.mode, packed.filter ?? "NONE");
  return Buffer.from(out.buffer);
}

/** The same file without compressed views. */
export function withoutMeshopt(file, decoder) {
  const json = copy(file.json);
  const bin = new Bin();
  json.bufferViews = (json.bufferViews ?? []).map((view, index) => {
    const plain = { ...view, buffer: 0 };
    const bytes = viewBytes(file, index, decoder);
    plain.byteOffset = bin.add(bytes);
    plain.byteLength = bytes.length;
    for (const name of MESHOPT) delete plain.extensions?.[name];
    if (plain.extensions && Object.keys(plain.extensions).length === 0) delete plain.extensions;
    return plain;
  });
  json.buffers = bin.length > 0 ? [{ byteLength: bin.length }] : undefined;
  forget(json, MESHOPT);
  return glb(json, bin.bytes());
}

/** Takes names out of the lists of extensions. */
export function forget(json, names) {
  for (const list of ["extensionsUsed", "extensionsRequired"]) {
    const rest = (json[list] ?? []).filter((name) => !names.includes(name));
    if (rest.length > 0) json[list] = rest;
    else delete json[list];
  }
}

const DRACO_TYPES = { 5120: "DT_INT8", 5121: "DT_UINT8", 5122: "DT_INT16", 5123: "DT_UINT16", 5125: "DT_UINT32", 5126: "DT_FLOAT32" };

/** The same file without compressed primitives, decoded by npm `draco3d`. */
export function withoutDraco(file, module) {
  const json = copy(file.json);
  const bin = new Bin();
  json.bufferViews ??= [];
  for (const view of json.bufferViews) {
    const start = view.byteOffset ?? 0;
    view.byteOffset = bin.add(file.buffers[view.buffer].subarray(start, start + view.byteLength));
    view.buffer = 0;
  }
  for (const image of (json.images ?? []).filter(({ uri }) => uri && !uri.startsWith("data:"))) {
    const bytes = follow(file.file, image.uri);
    json.bufferViews.push({ buffer: 0, byteOffset: bin.add(bytes), byteLength: bytes.length });
    image.bufferView = json.bufferViews.length - 1;
    image.mimeType ??= image.uri.endsWith(".png") ? "image/png" : "image/jpeg";
    delete image.uri;
  }
  for (const primitive of json.meshes.flatMap((mesh) => mesh.primitives)) {
    const packed = primitive.extensions?.[DRACO];
    if (!packed) continue;
    const source = file.json.bufferViews[packed.bufferView];
    const start = source.byteOffset ?? 0;
    const decoded = decodeDraco(file.buffers[source.buffer].subarray(start, start + source.byteLength), module);
    for (const [name, id] of Object.entries(packed.attributes)) {
      give(json, bin, primitive.attributes[name], decoded.attribute(id, json.accessors[primitive.attributes[name]]));
    }
    give(json, bin, primitive.indices, arrayOf(json.accessors[primitive.indices]).from(decoded.corners()));
    delete primitive.extensions[DRACO];
    if (Object.keys(primitive.extensions).length === 0) delete primitive.extensions;
    decoded.free();
  }
  json.buffers = bin.length > 0 ? [{ byteLength: bin.length }] : undefined;
  forget(json, [DRACO]);
  return glb(json, bin.bytes());
}

/** Gives an accessor its elements in a view of their own, padded to multiples of four bytes. */
function give(json, bin, index, values) {
  const accessor = json.accessors[index];
  const size = elementBytes(accessor);
  const stride = accessor.type === "SCALAR" ? size : Math.ceil(size / 4) * 4;
  const bytes = Buffer.alloc(stride * accessor.count);
  const raw = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  for (let i = 0; i < accessor.count; i += 1) raw.copy(bytes, i * stride, i * size, (i + 1) * size);
  const view = { buffer: 0, byteOffset: bin.add(bytes), byteLength: bytes.length };
  if (stride !== size) view.byteStride = stride;
  json.bufferViews.push(view);
  accessor.bufferView = json.bufferViews.length - 1;
  delete accessor.byteOffset;
}

function decodeDraco(bytes, module) {
  const decoder = new module.Decoder();
  const mesh = new module.Mesh();
  const status = decoder.DecodeArrayToMesh(new Int8Array(bytes), bytes.length, mesh);
  if (!status.ok()) throw new Error(status.error_msg());
  const fetch = (length, Type, call) => {
    const pointer = module._malloc(length);
    call(pointer, length);
    const values = new Type(module.HEAPU8.slice(pointer, pointer + length).buffer);
    module._free(pointer);
    return values;
  };
  return {
    corners: () =>
      fetch(mesh.num_faces() * 12, Uint32Array, (pointer, length) =>
        decoder.GetTrianglesUInt32Array(mesh, length, pointer),
      ),
    attribute: (id, accessor) => {
      const attribute = decoder.GetAttributeByUniqueId(mesh, id);
      const Type = arrayOf(accessor);
      const length = mesh.num_points() * attribute.num_components() * Type.BYTES_PER_ELEMENT;
      return fetch(length, Type, (pointer) =>
        decoder.GetAttributeDataArrayForAllPoints(
          mesh,
          attribute,
          module[DRACO_TYPES[accessor.componentType]],
          length,
          pointer,
        ),
      );
    },
    free: () => [mesh, decoder].forEach((object) => module.destroy(object)),
  };
}
