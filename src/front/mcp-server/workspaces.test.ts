import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createWorkspaces, rootFolder } from "./workspaces.ts";

function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-workspaces-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["a/deep", "ab", "b"]) mkdirSync(join(root, name), { recursive: true });
  symlinkSync(join(root, "b"), join(root, "a", "out"));
  symlinkSync(join(root, "a", "deep"), join(root, "in"));
  writeFileSync(join(root, "a", "file"), "");
  return root;
}

it("the list of workspaces finds a folder inside those given, by where it is and not by how it is written", () => {
  const root = folders();
  const { find, usual } = createWorkspaces([join(root, "a")], root);
  expect(usual).toBe(join(root, "a"));
  expect(find(join(root, "a"))).toBe(join(root, "a"));
  expect(find(`${root}/a/deep/`)).toBe(join(root, "a", "deep"));
  expect(find(`${root}/b/../a/./deep`)).toBe(join(root, "a", "deep"));
  expect(find(join(root, "in"))).toBe(join(root, "a", "deep"));
  for (const not of ["ab", "b", "a/out", "a/..", "a/file", "a/none"]) expect([not, find(`${root}/${not}`)]).toEqual([not, null]);
});

it("the list of workspaces takes no path that says nothing by itself", () => {
  const { find } = createWorkspaces([], process.cwd());
  expect(find(process.cwd())).toBe(realpathSync(process.cwd()));
  for (const not of ["", ".", "src", "~", "src\0", `/${"a/".repeat(5000)}`]) expect(find(not)).toBeNull();
});

it("several folders may be given, and each has to be one", () => {
  const root = folders();
  const { find, usual } = createWorkspaces([join(root, "b"), join(root, "a")], join(root, "a", "deep"));
  expect(usual).toBe(join(root, "a", "deep"));
  expect(find(join(root, "b"))).toBe(join(root, "b"));
  expect(find(root)).toBeNull();
  expect(() => createWorkspaces([join(root, "none")], root)).toThrow(/none is not a folder/);
  expect(() => createWorkspaces([join(root, "a", "file")], root)).toThrow(/is not a folder/);
});

it("the list of workspaces reads a client's root only where it is a folder here", () => {
  const root = folders();
  expect(rootFolder(pathToFileURL(join(root, "a")).href)).toBe(join(root, "a"));
  for (const not of ["https://example.org/", "file://elsewhere/a", "a", "", pathToFileURL(join(root, "none")).href])
    expect(rootFolder(not)).toBeNull();
});
