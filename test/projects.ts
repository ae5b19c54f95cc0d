import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Imports, reachOf, readImports } from "../scripts/import-graph.mjs";

/** The projects of vitest.config.ts. `npm run check` runs the first, `npm test` the first two, `npm run test:all` all of them. */
export type Project = "unit" | "process" | "peers" | "stress" | "fleet" | "browser";

/** Node's modules, and one package, with which a file starts a process, a thread or a server, or talks to one. */
const STARTS = /^(?:node:)?(?:child_process|cluster|dgram|dns|http|http2|https|net|tls|worker_threads)(?:\/|$)|^undici$/;
/** Where the programs of other people are found. */
const PEERS = "test/peers/peers.ts";

/** What is true of all examples, and whose examples take long. */
const PROPERTY = /propert(?:y|ies)|^(?:src\/filters\/secrets\/secrets|test\/cache)\.test\.ts$/;
/** Files that `npm test` runs with a part of their examples or cases (test/effort.ts), and `npm run test:all` in `stress` with all of them. */
export const takesPart = (file: string, text: string): boolean =>
  PROPERTY.test(file) || (file !== ABOUT_PROJECTS && /\bshareOf\(/.test(text));
/** It names the function without calling it. */
const ABOUT_PROJECTS = "test/suite.test.ts";

/** Decided by what a test file loads, so that no list has to be kept. Only stress, fleet and browser are folders: what takes minutes, and what needs database servers or a browser. */
export function projectOf(file: string, imports: Imports): Project {
  if (/^test\/fleet\//.test(file)) return "fleet";
  if (/^test\/browser\//.test(file)) return "browser";
  if (/^test\/stress\//.test(file)) return "stress";
  const reached = [...reachOf(file, imports)];
  if (reached.includes(PEERS)) return "peers";
  return reached.some((name) => STARTS.test(name)) ? "process" : "unit";
}

/** With `isWhole`, files that otherwise take a part of their cases belong to stress. */
export function findProjects(isWhole: boolean, root = "."): Record<Project, string[]> {
  const imports = readImports(root);
  const projects: Record<Project, string[]> = { unit: [], process: [], peers: [], stress: [], fleet: [], browser: [] };
  for (const file of imports.keys())
    if (file.endsWith(".test.ts")) {
      const moves = isWhole && takesPart(file, readFileSync(join(root, file), "utf8"));
      projects[moves ? "stress" : projectOf(file, imports)].push(file);
    }
  return projects;
}
