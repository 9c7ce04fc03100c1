#!/usr/bin/env node
// Plays the animations of glTF files with three.js and tells where their nodes are.
//
//   node tests/judges/playback.mjs < REQUEST > ANSWER
//
// REQUEST is JSON: a list of `{file, times}`, where `times[i]` lists the seconds at which animation `i` is wanted, in
// ascending order. ANSWER holds, for each file in turn, the length of what follows (u32, little-endian), then eight
// bytes of which the first is 0 or 1: after 0 stands why three.js does not play the file, after 1 f64 numbers,
// little-endian: for each animation, each time and each node the sixteen numbers of its world matrix by columns, NaN
// for nodes that no scene shows.
//
// Only nodes and what moves them are given to three.js, so that it needs neither images nor a browser. Compressed data
// are decompressed by npm `meshoptimizer` before.

import { readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { meshopt, read, root, withoutMeshopt } from "./gltf.mjs";

const library = path.join(root, ".judges", "node_modules", "three");
const load = (file) => import(pathToFileURL(path.join(library, file)));
// The loader asks for the browser's window.
globalThis.self ??= globalThis;
const { AnimationMixer, Group, LoopOnce } = await load("build/three.module.js");
const { GLTFLoader } = await load("examples/jsm/loaders/GLTFLoader.js");
const { decoder } = await meshopt();

const MOVES = new Set(["translation", "rotation", "scale"]);

/** A GLB with nodes, animations and scenes only. */
function bare(name) {
  const file = read(name);
  const { json } = file;
  const keys = ["meshes", "skins", "cameras", "materials", "textures", "images", "samplers", "extensions"];
  for (const key of [...keys, "extensionsUsed", "extensionsRequired"]) delete json[key];
  for (const node of json.nodes ?? []) {
    for (const key of ["mesh", "skin", "camera", "weights", "extensions"]) delete node[key];
  }
  for (const animation of json.animations) {
    animation.channels = animation.channels.filter(({ target }) => target.node !== undefined && MOVES.has(target.path));
  }
  const glb = withoutMeshopt(file, decoder);
  return glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength);
}

async function play({ file, times }) {
  const gltf = await new GLTFLoader().parseAsync(bare(file), "");
  const stage = new Group();
  gltf.scenes.forEach((scene) => stage.add(scene));
  const nodes = await gltf.parser.getDependencies("node");
  const isShown = nodes.map((node) => {
    for (let above = node; above; above = above.parent) if (above === stage) return true;
    return false;
  });
  const numbers = [];
  for (const [index, clip] of gltf.animations.entries()) {
    // A mixer of its own leaves nothing of one clip in the next one.
    const mixer = new AnimationMixer(stage);
    const action = mixer.clipAction(clip);
    action.setLoop(LoopOnce, 1);
    action.clampWhenFinished = true;
    for (const seconds of times[index]) {
      action.reset().play();
      mixer.setTime(seconds);
      stage.updateMatrixWorld(true);
      const matrix = (node, i) => (isShown[i] ? node.matrixWorld.elements : Array(16).fill(NaN));
      numbers.push(nodes.flatMap(matrix));
    }
    mixer.stopAllAction();
  }
  return Buffer.from(Float64Array.from(numbers.flat()).buffer);
}

function answer(isPlayed, content) {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(content.length + 8, 0);
  head[4] = isPlayed ? 1 : 0;
  for (const bytes of [head, content]) {
    for (let done = 0; done < bytes.length; ) done += write(bytes, done);
  }
}

/** Writes what a pipe takes. */
function write(bytes, from) {
  try {
    return writeSync(1, bytes, from);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
    return 0;
  }
}

// What three.js says of a file would stand among the numbers.
console.log = console.warn = console.error = () => {};
for (const request of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    answer(true, await play(request));
  } catch (error) {
    answer(false, Buffer.from(String(error?.message ?? error)));
  }
}
