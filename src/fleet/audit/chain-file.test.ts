import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { START } from "../../store/audit/chain.ts";
import { sha256 } from "../../store/audit/lines.ts";
import { openChainFile } from "./chain-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zeph-chain-"));
  path = join(folder, "audit.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("a batch ends with two hundred lines, or with the line that makes it a megabyte", () => {
  writeFileSync(path, `${"short\n".repeat(250)}${`${"x".repeat(600_000)}\n`.repeat(3)}`);
  const file = openChainFile(path)!;
  const sizes: number[] = [];
  let place = START;
  for (let batch = file.read(place); batch; batch = file.read(place)) {
    sizes.push(batch.lines.length);
    place = batch.end;
  }
  file.close();
  expect(sizes).toEqual([200, 52, 1]);
  expect(place).toMatchObject({ count: 253, size: 250 * 6 + 3 * 600_001 });
});

it("a file is known by its first line, and there is none before that is whole", () => {
  expect(openChainFile(path)).toBeNull();
  writeFileSync(path, "");
  expect(openChainFile(path)).toBeNull();
  writeFileSync(path, "first");
  expect(openChainFile(path)).toBeNull();
  appendFileSync(path, "\nsecond\n");
  const file = openChainFile(path)!;
  expect(file.id).toBe(sha256("first"));
  expect(file.holds({ count: 2, hash: sha256("second"), size: 13 })).toBe(true);
  expect(file.holds({ count: 2, hash: sha256("other"), size: 13 })).toBe(false);
  expect(file.holds({ count: 3, hash: sha256("second"), size: 20 })).toBe(false);
  file.close();
});

it.skipIf(process.platform === "win32")("nothing is read through a link, and nobody waits for a pipe", () => {
  writeFileSync(join(folder, "elsewhere"), "secret\n");
  symlinkSync(join(folder, "elsewhere"), path);
  expect(() => openChainFile(path)).toThrow("ELOOP");
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(openChainFile(pipe)).toBeNull();
});
