"use strict";
// Loads a bundle of the package together with the code that V8 made of it at an earlier start, which is most of the time of a start.
// That code lies beside the bundle and is believed only if it belongs to the same owner. V8 refuses what another version made, or other flags.
const { readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { basename, dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

const PACKAGES = join(__dirname, "../dist/cli/packages.cjs");
/** Bundles of this process, by their path. */
const loaded = new Map();

/** What the bundle exports. Its text is a function that takes these five. */
function load(file) {
  const known = loaded.get(file);
  if (known) return known.module.exports;
  const codeFile = `${file}.${process.versions.v8}-${process.arch}.code`;
  const cachedData = readCode(file, codeFile);
  const script = new Script(readFileSync(file, "latin1"), { filename: file, cachedData });
  const module = { exports: {} };
  loaded.set(file, { module, script, codeFile, isKnown: cachedData !== undefined && !script.cachedDataRejected });
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href, (name) => load(PACKAGES)[name]());
  return module.exports;
}

function readCode(file, codeFile) {
  try {
    const { uid, mode, mtimeMs } = statSync(codeFile);
    const source = statSync(file);
    const isOurs = uid === source.uid && (mode & 0o022) === 0;
    // V8 compares only the length of a text with that of the one the code was made of.
    return isOurs && mtimeMs >= source.mtimeMs ? readFileSync(codeFile) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the code of what has run until now, for the next start. Who may not write beside the bundle starts without. */
function keepCode() {
  for (const [file, { script, codeFile, isKnown }] of loaded) {
    if (isKnown) continue;
    const draft = join(dirname(codeFile), `.${basename(codeFile)}.${process.pid}`);
    try {
      if (statSync(file).uid !== process.getuid?.()) continue;
      writeFileSync(draft, script.createCachedData(), { mode: 0o644, flag: "wx" });
      renameSync(draft, codeFile);
    } catch {
      rmSync(draft, { force: true });
    }
  }
}

module.exports = { load, keepCode };
