import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { claimRoot } from "./root.ts";

function folder() {
  const root = mkdtempSync(join(tmpdir(), "zeph-root-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
const claims = () => {
  const closing: (() => unknown)[] = [];
  return { closers: { add: (close: () => unknown) => void closing.push(close) }, close: () => closing.map((close) => close()) };
};

describe("the folder of a worker", () => {
  it("has a name that stays, and is another's only when its process is gone", () => {
    const root = folder();
    const first = claims();
    const name = claimRoot(root, first.closers);
    expect(() => claimRoot(root, claims().closers)).toThrow(`Another worker (process ${process.pid}) keeps its folders`);
    first.close();
    const second = claims();
    expect(claimRoot(root, second.closers)).toBe(name);
    second.close();
    expect(existsSync(join(root, ".worker"))).toBe(false);
    expect(claimRoot(folder(), claims().closers)).not.toBe(name);
  });

  it("is free when the process that had it was killed, also when its number is somebody else's by now", () => {
    const root = folder();
    const { pid } = spawnSync("true");
    writeFileSync(join(root, ".worker"), `${pid} 1`);
    claimRoot(root, claims().closers);
    writeFileSync(join(root, ".worker"), `${process.pid} 1`);
    claimRoot(root, claims().closers);
    expect(readFileSync(join(root, ".worker"), "utf8")).toMatch(new RegExp(`^${process.pid} \\d{2,}$`));
  });
});
