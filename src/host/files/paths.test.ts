import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createPathRules } from "./paths.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-paths-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "realhome/.ssh"), { recursive: true });
mkdirSync(join(root, "work/secrets"), { recursive: true });
symlinkSync("realhome", join(root, "home"));
symlinkSync("work", join(root, "worklink"));
writeFileSync(join(root, "work/.env"), "");
const work = join(root, "work");
const rules = (deny_read: string[], allow_read: string[] = []) =>
  createPathRules(work, { allowed_paths: ["/"], deny_read, allow_read }, join(root, "home"));

describe("a glob means what it names, however it is written", () => {
  it.each([
    ["~/.ssh/**", "realhome/.ssh/id"],
    ["~/.ssh", "realhome/.ssh/id"],
    ["~", "realhome/.ssh/id"],
    ["secrets", "work/secrets/k"],
    ["secrets/", "work/secrets/k"],
    ["$R/work/secrets/", "work/secrets/k"],
    ["$R/work//secrets/**", "work/secrets/k"],
    ["$R/work/./secrets/**", "work/secrets/k"],
    ["$R/worklink/**", "work/.env"],
    ["../work/.env", "work/.env"],
    ["./.env", "work/.env"],
    ["**/.env", "work/.env"],
    [".env", "work/deep/.env"],
  ])("%s covers %s", (glob, path) => {
    const denying = rules([glob.replace("$R", root)]);
    expect(denying.mayRead(join(root, path))).not.toBeNull();
    expect(denying.mayRead(join(root, "work/other.txt"))?.rule ?? null).toBe(
      glob === "$R/worklink/**" ? `deny_read ${root}/worklink/**` : null,
    );
  });
  it("covers no more than that", () => {
    expect(rules(["./.env"]).mayRead(join(work, "deep/.env"))).toBeNull();
    expect(rules(["secrets"]).mayRead(join(work, "mysecrets/k"))).toBeNull();
    expect(rules(["**/.env"]).mayRead(join(work, ".envrc"))).toBeNull();
  });
  it("lets allow_read limit in the same language", () => {
    const allowing = rules([], ["$R/worklink/docs".replace("$R", root)]);
    expect(allowing.mayRead(join(work, "docs/a.md"))).toBeNull();
    expect(allowing.mayRead(join(work, "a.md"))).not.toBeNull();
  });
});
