import { type Imports, reachOf, readImports } from "../scripts/import-graph.mjs";

/** The projects of vitest.config.ts. `npm run check` runs the first, `npm test` the first two, `npm run test:all` all of them. */
export type Project = "unit" | "process" | "peers" | "stress";

/** Node's modules, and one package, with which a file starts a process, a thread or a server, or talks to one. */
const STARTS = /^(?:node:)?(?:child_process|cluster|dgram|dns|http|http2|https|net|tls|worker_threads)(?:\/|$)|^undici$/;
/** Where the programs of other people are found. */
const PEERS = "test/peers/peers.ts";

/** What is true of all examples, and whose examples take long. `npm run test:all` runs them in `stress` once more, with every example (test/effort.ts). */
const PROPERTY = /propert(?:y|ies)|^(?:src\/filters\/secrets\/secrets|test\/cache)\.test\.ts$/;
export const isProperty = (file: string): boolean => PROPERTY.test(file);

/** Decided by what a test file loads, so that no list has to be kept. Only stress is two folders: what takes minutes, and the attacks. */
export function projectOf(file: string, imports: Imports): Project {
  if (/^test\/(?:stress|workday)\//.test(file)) return "stress";
  const reached = [...reachOf(file, imports)];
  if (reached.includes(PEERS)) return "peers";
  return reached.some((name) => STARTS.test(name)) ? "process" : "unit";
}

export function findProjects(root?: string): Record<Project, string[]> {
  const imports = readImports(root);
  const projects: Record<Project, string[]> = { unit: [], process: [], peers: [], stress: [] };
  for (const file of imports.keys()) if (file.endsWith(".test.ts")) projects[projectOf(file, imports)].push(file);
  return projects;
}
