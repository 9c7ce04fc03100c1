// Moves a glTF file's springs and constraints with npm `three` and `@pixiv/three-vrm`.
//
// Reads a request from standard input: {"gltf": the file's JSON, "steps": [[{"node", "translation", "rotation"}, …], …],
// "secs"}: before each step the nodes take those local values (each may be missing), then constraints and springs act,
// the springs by `secs`. Writes {"states": [{"places": [[x, y, z], …], "rotations": [[x, y, z, w], …]}, …], …}: where all
// nodes stand in the scene after each step, and how they are turned against their parents; and how many joints of springs
// and how many constraints there are.
//
// With "measured": true the length of a bone is measured where its tail stands now. three-vrm measures against where the
// tail stood in the step before, so that bones of a chain in quick motion are a little longer or shorter for it than they
// are; the specification normalises to the bone's own length.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./gltf.mjs";

// Both by their modules, so that there is one `three`.
const packages = path.join(root, ".judges", "node_modules");
const module = (...parts) => import(pathToFileURL(path.join(packages, ...parts)));
globalThis.self = globalThis;
const { GLTFLoader } = await module("three", "examples", "jsm", "loaders", "GLTFLoader.js");
const { VRMSpringBoneLoaderPlugin, VRMNodeConstraintLoaderPlugin } = await module(
  "@pixiv",
  "three-vrm",
  "lib",
  "three-vrm.module.js",
);

/** What shows and what is binary is not needed, and pictures cannot be loaded here. */
function bare(gltf) {
  const kept = structuredClone(gltf);
  for (const list of ["meshes", "skins", "materials", "textures", "images", "accessors", "bufferViews", "buffers"]) {
    delete kept[list];
  }
  delete kept.animations;
  for (const node of kept.nodes ?? []) {
    delete node.mesh;
    delete node.skin;
    delete node.camera;
  }
  return kept;
}

const request = JSON.parse(readFileSync(0, "utf8"));
const loader = new GLTFLoader();
loader.register((parser) => new VRMSpringBoneLoaderPlugin(parser));
loader.register((parser) => new VRMNodeConstraintLoaderPlugin(parser));
const loaded = await loader.parseAsync(JSON.stringify(bare(request.gltf)), "");
const nodes = await Promise.all((request.gltf.nodes ?? []).map((_, i) => loaded.parser.getDependency("node", i)));
const springs = loaded.userData.vrmSpringBoneManager;
const constraints = loaded.userData.vrmNodeConstraintManager;
// The plugins take the state at rest before the loader has told the nodes where they stand.
loaded.scene.updateMatrixWorld(true);
constraints?.setInitState();
springs?.setInitState();

if (request.measured) {
  for (const joint of springs?.joints ?? []) {
    const measure = joint._calcWorldSpaceBoneLength.bind(joint);
    joint._calcWorldSpaceBoneLength = () => {
      joint.child?.updateMatrix();
      joint.child?.updateWorldMatrix(false, false);
      measure();
    };
  }
}

const states = [];
for (const moves of request.steps) {
  for (const { node, translation, rotation } of moves) {
    if (translation) nodes[node].position.fromArray(translation);
    if (rotation) nodes[node].quaternion.fromArray(rotation);
  }
  loaded.scene.updateMatrixWorld(true);
  constraints?.update();
  springs?.update(request.secs);
  loaded.scene.updateMatrixWorld(true);
  const places = nodes.map((node) => [12, 13, 14].map((i) => node.matrixWorld.elements[i]));
  states.push({ places, rotations: nodes.map((node) => node.quaternion.toArray()) });
}

const counts = { springs: springs?.joints.size ?? 0, constraints: constraints?.constraints.size ?? 0 };
writeFileSync(1, JSON.stringify({ states, ...counts }));
