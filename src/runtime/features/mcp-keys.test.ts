import { expect, it } from "vitest";
import { wholeServer } from "./mcp-entry.ts";
import { withKeys } from "./mcp-keys.ts";

const keys = (name: string) => ({ TOKEN: "t0p", OTHER: "${TOKEN}" })[name];

it("puts keys where their names stand, and nothing else changes", () => {
  const warnings: string[] = [];
  const server = wholeServer({
    name: "s",
    command: "${TOKEN}",
    args: ["${TOKEN}"],
    env: { A: "${TOKEN}", B: "x${TOKEN}-${TOKEN}", C: "$TOKEN ${1} ${", D: "${OTHER}" },
  });
  expect(withKeys(server, keys, (message) => warnings.push(message))).toEqual({
    ...server,
    // What a key holds is not looked at again.
    env: { A: "t0p", B: "xt0p-t0p", C: "$TOKEN ${1} ${", D: "${TOKEN}" },
  });
  expect(warnings).toEqual([]);
});

it("leaves ${WORKSPACE} for when the program is started, although a key may have that name", () => {
  const warnings: string[] = [];
  const all = (name: string) => (name === "WORKSPACE" ? "a key" : keys(name));
  const server = wholeServer({ name: "s", command: "c", args: ["${WORKSPACE}"], env: { A: "${WORKSPACE}/${TOKEN}" } });
  for (const some of [keys, all])
    expect(withKeys(server, some, (message) => warnings.push(message))).toEqual({ ...server, env: { A: "${WORKSPACE}/t0p" } });
  expect(warnings).toEqual([]);
});

it("keeps the name of a variable that has no value", () => {
  const server = wholeServer({ name: "s", command: "c", env: { A: "${GONE}", B: "b" } });
  expect(withKeys(server, keys, () => {}).env).toEqual({ A: "", B: "b" });
});

it("leaves out a header that has no value, and says which name is missing, never a value", () => {
  const warnings: string[] = [];
  const server = wholeServer({ name: "s", url: "https://a.example", headers: { Authorization: "Bearer ${TOKEN} ${GONE}", X: "${TOKEN}" } });
  expect(withKeys(server, keys, (message) => warnings.push(message)).headers).toEqual({ X: "t0p" });
  expect(warnings).toEqual([expect.stringContaining('The MCP server "s" does without the header Authorization: GONE has no value.')]);
  expect(warnings.join()).not.toContain("t0p");
});
