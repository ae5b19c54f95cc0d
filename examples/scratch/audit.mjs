// What the audit log of an example tells of one client's calls, a line each. `zeph audit tail` shows people the same.
import { readFileSync } from "node:fs";

export function callsIn(path, client) {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ toolset }) => toolset === `client:${client}`)
    .map(({ tool, kind, verdict, outcome }) => `${kind} ${tool} ${verdict ?? outcome}`)
    .sort();
}
