// For consumers that are a program of Node, Bun or Deno.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tryZeph } from "./program.mjs";

export async function runProgram() {
  const folder = mkdtempSync(join(tmpdir(), "zeph-consumer-"));
  const writeFile = async (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  try {
    return await tryZeph({ folder, join, writeFile });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
