#!/usr/bin/env node
// Runs the Khronos glTF validator over files and folders.
//
//   node tests/judges/validate.mjs [--json FILE] [--valid FILE] [--errors FILE] PATH...
//
// Prints one line for each file with errors and a summary; ends 1 on any error and where no file was found.
// --json FILE   every issue of every file
// --valid FILE  the paths of the files without an error, one a line
// --errors FILE path below the first PATH, code and first place of each kind of error, one a line
//
// The validator itself is installed by .ci/judges into .judges, which git ignores.

import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ENDINGS = new Set([".gltf", ".glb", ".vrm", ".vrma"]);
const ERROR = 0;
const WARNING = 1;

const root = fileURLToPath(new URL("../..", import.meta.url));

async function main() {
  const { values, positionals } = parseArgs({
    options: { json: { type: "string" }, valid: { type: "string" }, errors: { type: "string" } },
    allowPositionals: true,
  });
  const validator = loadValidator();
  const results = [];
  for (const file of await gltfFiles(positionals)) {
    const result = await judge(validator, file);
    results.push(result);
    const errors = result.issues.filter((issue) => issue.severity === ERROR);
    if (errors.length > 0) console.log(`${file}: ${grouped(errors)}`);
  }
  if (values.json) await writeFile(values.json, `${JSON.stringify(results, null, 1)}\n`);
  if (values.valid) await writeFile(values.valid, lines(results.filter(isValid).map((result) => result.file)));

  if (values.errors) await writeFile(values.errors, lines(results.flatMap((result) => kinds(result, positionals[0]))));

  const count = (severity) => sum(results.map((result) => tally(result.issues, severity)));
  console.log(`${results.length} files, ${count(ERROR)} errors, ${count(WARNING)} warnings`);
  if (results.length === 0) console.error("no glTF file was found, so nothing was judged");
  return results.length > 0 && results.every(isValid) ? 0 : 1;
}

function loadValidator() {
  try {
    return createRequire(path.join(root, ".judges", "index.js"))("gltf-validator");
  } catch {
    throw new Error("the validator is not installed; run .ci/judges");
  }
}

/** All glTF files among `paths` and in their folders, in the order of their names. */
async function gltfFiles(paths) {
  const files = [];
  for (const given of paths) {
    if ((await stat(given)).isFile()) {
      files.push(given);
      continue;
    }
    const entries = await readdir(given, { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => entry.isFile() && ENDINGS.has(path.extname(entry.name).toLowerCase()));
    files.push(...found.map(pathOf).sort());
  }
  return files;
}

// Node 18 calls the folder `path`.
const pathOf = (entry) => path.join(entry.parentPath ?? entry.path, entry.name);

async function judge(validator, file) {
  const bytes = new Uint8Array(await readFile(file));
  const options = {
    uri: path.basename(file),
    maxIssues: 0,
    writeTimestamp: false,
    externalResourceFunction: async (uri) => new Uint8Array(await readFile(besides(file, uri))),
  };
  try {
    const report = await validator.validateBytes(bytes, options);
    return { file, issues: report.issues.messages, info: report.info };
  } catch (reason) {
    // It rejects what is not JSON at all instead of reporting it.
    return { file, issues: [{ code: "NOT_READABLE", message: String(reason), severity: ERROR }] };
  }
}

/** The file that a relative, percent-encoded URI of `file` names. */
function besides(file, uri) {
  return path.resolve(path.dirname(file), decodeURIComponent(uri));
}

/** Issues by code, each with its count and its first place. */
function grouped(issues) {
  const codes = new Map();
  for (const issue of issues) {
    const known = codes.get(issue.code) ?? { place: issue.pointer ?? `byte ${issue.offset ?? 0}`, count: 0 };
    known.count += 1;
    codes.set(issue.code, known);
  }
  return [...codes].map(([code, { place, count }]) => `${code} x${count} at ${place}`).join("; ");
}

/** Tab-separated lines: the file, and the code and the first place of each kind of error; places that differ in numbers only are one. */
function kinds(result, folder) {
  const seen = new Set();
  const found = [];
  for (const { code, severity, pointer = "" } of result.issues) {
    const kind = `${code} ${pointer.replace(/\d+/g, "#")}`;
    if (severity !== ERROR || seen.has(kind)) continue;
    seen.add(kind);
    found.push([path.relative(folder, result.file), code, pointer].join("\t"));
  }
  return found;
}

const tally = (issues, severity) => issues.filter((issue) => issue.severity === severity).length;
const isValid = (result) => tally(result.issues, ERROR) === 0;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const lines = (texts) => texts.map((text) => `${text}\n`).join("");

try {
  process.exitCode = await main();
} catch (reason) {
  console.error(reason.message);
  process.exitCode = 2;
}
