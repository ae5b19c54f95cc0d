"use strict";
// Loads a bundle of the package together with the code that V8 made of it at an earlier start, which is most of the time of a start.
// That code lies beside the bundle and is believed only if it belongs to the same owner. V8 refuses what another version made, or other flags.
const { readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { basename, dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { Script } = require("node:vm");

const PACKAGES = join(__dirname, "../dist/cli/packages.cjs");
/** Commands with code of their own. The others make do with that of `call`, and keep none. */
const FAMILIES = new Set(["acp", "call", "chat", "hookd", "mcp", "run"]);
/** Bundles of this process, by their path. */
const loaded = new Map();

/**
 * What the bundle exports. Its text is a function that takes these five. Code is kept for each command by itself: one that does little need not wait
 * for the code of another, and one that does much does not lack what the first command never ran.
 */
function load(file, command = "chat") {
  const known = loaded.get(file);
  if (known) return known.module.exports;
  const codeFile = `${file}.${FAMILIES.has(command) ? command : "call"}.${process.versions.v8}-${process.arch}.code`;
  const cachedData = readCode(file, codeFile);
  const text = readFileSync(file, "latin1");
  const script = withFirstFlags(() => new Script(text, { filename: file, cachedData }));
  const module = { exports: {} };
  loaded.set(file, { module, script, codeFile, isKnown: cachedData !== undefined && !script.cachedDataRejected });
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href, (name) =>
    load(PACKAGES, command)[name](),
  );
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
      writeFileSync(
        draft,
        withFirstFlags(() => script.createCachedData()),
        { mode: 0o644, flag: "wx" },
      );
      renameSync(draft, codeFile);
    } catch {
      rmSync(draft, { force: true });
    }
  }
}

const GROWING = ["--semi-space-growth-factor=2", "--parallel-scavenge", "--heap-growing-percent=0"];
const SMALL = ["--semi-space-growth-factor=1", "--no-parallel-scavenge"];
let small = null;
const setFlags = (flags) => {
  for (const flag of flags) require("node:v8").setFlagsFromString(flag);
};

/**
 * From now on the space for new objects stays as small as it is. V8 would let it grow to 16 MB and more, which is a third of what a conversation
 * takes; a start is faster while it grows. In so small a space threads that collect together mostly wait for each other. `more` are further flags.
 */
function stopGrowing(more = []) {
  small = [...SMALL, ...more];
  setFlags(small);
}

/** V8 takes code only under the flags it was made with. */
function withFirstFlags(make) {
  if (!small) return make();
  setFlags(GROWING);
  const made = make();
  setFlags(small);
  return made;
}

module.exports = { load, keepCode, stopGrowing };
