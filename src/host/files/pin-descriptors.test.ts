import { closeSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFile, openFileInside, pinDirectory, pinInside, pinOrMake, withPinned } from "./pin.ts";

it.runIf(process.platform === "linux")("Opening and pinning leave no descriptor open, whatever fails", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-pin-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "a", "b"), { recursive: true });
  writeFileSync(join(root, "a", "file"), "");
  symlinkSync("a", join(root, "link"));
  const open = () => readdirSync("/proc/self/fd").length;

  const before = open();
  pinOrMake(join(root, "new", "deep", "er")).close();
  closeSync(openFile(join(root, "a", "file")).fd);
  const failing = [
    () => pinDirectory(join(root, "link", "b")),
    () => pinOrMake(join(root, "link", "new")),
    () => pinOrMake("/proc/zeph-none"),
    () => openFile(join(root, "link", "file")),
    () => withPinned(pinDirectory(root), (dir) => openFileInside(dir, "a")),
    () => withPinned(pinDirectory(root), (dir) => pinInside(dir, "link")),
  ];
  for (const fail of failing) expect(fail).toThrow();
  expect(open()).toBe(before);
});
