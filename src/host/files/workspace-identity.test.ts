import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rememberWorkspace } from "./workspace-identity.ts";

function folders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-held-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["work", "list", "else"]) mkdirSync(join(root, name));
  symlinkSync(join(root, "else"), join(root, "link"));
  return { root, work: join(root, "work"), list: join(root, "list"), link: join(root, "link") };
}

it("the memory of a workspace names a workspace that became another folder, a link or nothing, until it is back", () => {
  const { root, work } = folders();
  const { moved } = rememberWorkspace(work, []);
  expect(moved()).toBeNull();
  renameSync(work, `${work}2`);
  expect(moved()).toBe(work);
  mkdirSync(work);
  expect(moved()).toBe(work);
  rmSync(work, { recursive: true });
  symlinkSync(join(root, "else"), work);
  expect(moved()).toBe(work);
  rmSync(work);
  renameSync(`${work}2`, work);
  expect(moved()).toBeNull();
});

it("a folder in the lists may come and go and be made again; it may not become a link, unless it was one", () => {
  const { root, work, list, link } = folders();
  const { moved } = rememberWorkspace(work, [list, link, "~/x", "relative", join(root, "none")]);
  expect(moved()).toBeNull();
  rmSync(list, { recursive: true });
  expect(moved()).toBeNull();
  mkdirSync(list);
  rmSync(link);
  symlinkSync(work, link);
  expect(moved()).toBeNull();
  rmSync(list, { recursive: true });
  symlinkSync(join(root, "else"), list);
  expect(moved()).toBe(list);
});

it("a workspace that is made later is held from then on", () => {
  const { root } = folders();
  const late = join(root, "late");
  const { moved } = rememberWorkspace(late, []);
  mkdirSync(late);
  expect(moved()).toBeNull();
  renameSync(late, `${late}2`);
  mkdirSync(late);
  expect(moved()).toBe(late);
});
