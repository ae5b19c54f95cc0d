import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outcome, Zeph } from "../../src/index.ts";
import { type Workspace, workspace } from "../../test/workspace.ts";

let place: Workspace;
let zeph: Zeph;
const at = (name: string) => join(place.work, name);
const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const call = async (tool: string, args: object) => said(await zeph.call(tool, args));

beforeEach(async () => {
  place = workspace([
    { op: "file", path: "work/a.txt", content: "a" },
    { op: "file", path: "work/d/x", content: "x" },
    { op: "file", path: "work/d/e/y", content: "y" },
    { op: "file", path: "outside/secret.txt", content: "secret" },
  ]);
  zeph = await place.runtime();
});
afterEach(async () => {
  await zeph.close();
  place.remove();
});

describe("copy_path and move_path", () => {
  it("copies a tree with its modes and inner links, and leaves out what leads outside or is no file", async () => {
    symlinkSync("x", at("d/inner"));
    symlinkSync("../../outside", at("d/outer"));
    execFileSync("mkfifo", [at("d/pipe")]);
    execFileSync("chmod", ["751", at("d/e")]);
    execFileSync("chmod", ["700", at("d/x")]);
    expect(await call("copy_path", { source: "d", destination: "deep/er/d2" })).toMatch(
      /^Copied d to deep\/er\/d2 \(5 entries\)\.\nLeft out: .*outer \(a link that leads outside\).*pipe \(neither/s,
    );
    expect(readFileSync(at("deep/er/d2/inner"), "utf8")).toBe("x");
    expect(lstatSync(at("deep/er/d2/inner")).isSymbolicLink()).toBe(true);
    expect(statSync(at("deep/er/d2/e")).mode & 0o777).toBe(0o751);
    expect(statSync(at("deep/er/d2/x")).mode & 0o777).toBe(0o700);
  });
  it.each(["copy_path", "move_path"])("%s refuses a destination that exists, also as a link, and one inside the source", async (tool) => {
    symlinkSync("nowhere", at("dangling"));
    expect(await call(tool, { source: "a.txt", destination: "d" })).toMatch(/exists already/);
    expect(await call(tool, { source: "a.txt", destination: "dangling" })).toMatch(/exists already/);
    expect(await call(tool, { source: "d", destination: "d/e/d3" })).toMatch(/^invalid_parameters: .*inside the source/);
    expect(await call(tool, { source: "none", destination: "b" })).toMatch(/does not exist/);
    expect(readdirSync(place.work).sort()).toEqual(["a.txt", "d", "dangling"]);
  });
  it("moves a file and a folder", async () => {
    expect(await call("move_path", { source: "a.txt", destination: "n/b.txt" })).toBe("Moved a.txt to n/b.txt.");
    expect(await call("move_path", { source: "d", destination: "n/d" })).toBe("Moved d to n/d.");
    expect(readFileSync(at("n/d/e/y"), "utf8")).toBe("y");
  });
  it("does not move or delete the workspace itself", async () => {
    expect(await call("move_path", { source: ".", destination: "../elsewhere" })).toMatch(/^policy_blocked/);
    expect(await call("move_path", { source: place.work, destination: "x" })).toMatch(/^policy_blocked/);
    expect(await call("delete_path", { path: "d/.." })).toMatch(/^policy_blocked/);
  });
  it("leaves nothing behind when a copy is cancelled", async () => {
    for (let i = 0; i < 500; i++) writeFileSync(at(`d/f${i}`), "x");
    const stop = new AbortController();
    const copying = zeph.call("copy_path", { source: "d", destination: "d2" }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    const outcome = await copying;
    if (!outcome.ok) {
      expect(outcome.error.category).toBe("cancelled");
      expect(readdirSync(place.work).sort()).toEqual(["a.txt", "d"]);
    }
  });
});

describe("the read sandbox", () => {
  beforeEach(async () => {
    await zeph.close();
    writeFileSync(at("d/.env"), "KEY=1");
    zeph = await place.runtime({ file: { deny_read: ["**/.env"] } });
  });
  it.each([
    ["copy_path", { source: "d", destination: "c" }],
    ["move_path", { source: "d", destination: "c" }],
    ["copy_path", { source: "d/.env", destination: "c" }],
    ["move_path", { source: "d/.env", destination: "c" }],
    ["grep", { pattern: "KEY", path: "d/.env" }],
    ["edit", { path: "d/.env", old_string: "KEY", new_string: "K" }],
    ["read", { path: "d/.env" }],
  ])("%s %j is refused, and judge says so too", async (tool, args) => {
    expect(await call(tool, args)).toMatch(/^policy_blocked: .*deny_read lists "\*\*\/\.env"/);
    expect(await zeph.judge(tool, args)).toMatchObject({ verdict: "deny", gate: "files", rule: "deny_read **/.env" });
    expect(existsSync(at("c"))).toBe(false);
  });
  it("leaves a write possible, but shows no diff of what may not be read", async () => {
    const outcome = await zeph.call("write", { path: "d/.env", content: "KEY=2" });
    expect(outcome).toMatchObject({ ok: true });
    expect(JSON.stringify(outcome)).not.toContain("KEY=1");
  });
  it("leaves denied files out, and says so whatever is in them", async () => {
    writeFileSync(at("d/ok"), "KEY=shown");
    expect(await call("grep", { pattern: "KEY" })).toBe("d/ok\n1:KEY=shown\n(files that may not be read are not searched)");
  });
});

describe("delete_path, create_directory and list_directory", () => {
  it("deletes a tree and removes a link without following it", async () => {
    symlinkSync("../outside", at("out"));
    expect(await call("delete_path", { path: "out/" })).toBe("Deleted out/.");
    expect(await call("delete_path", { path: "d" })).toBe("Deleted d (4 entries).");
    expect(existsSync(join(place.T, "outside/secret.txt"))).toBe(true);
    expect(await call("delete_path", { path: "d" })).toMatch(/does not exist/);
  });
  it("lists folders, files and links apart", async () => {
    symlinkSync("../outside", at("out"));
    expect(await call("list_directory", { path: "." })).toBe("[dir] d\n[file] a.txt\n[symlink] out");
    mkdirSync(at("none"));
    expect(await call("list_directory", { path: "none" })).toBe("(none is empty)");
    expect(await call("list_directory", { path: "a.txt" })).toMatch(/is not a directory/);
  });
  it("creates folders, and does not mind one that is there", async () => {
    expect(await call("create_directory", { path: "p/q/r" })).toBe("Created p/q/r");
    expect(await call("create_directory", { path: "p/q/r" })).toBe("Exists already: p/q/r");
    expect(await call("create_directory", { path: "a.txt/b" })).toMatch(/is not a directory/);
    expect(await call("create_directory", { path: "a.txt" })).toMatch(/is not a directory/);
  });
});
