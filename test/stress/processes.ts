import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Bundles the child once. It stays below the project, where its packages are found. */
export async function bundleChild(entry = join(import.meta.dirname, "child.ts")): Promise<string> {
  const cache = join(import.meta.dirname, "../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "zeph-stress-"));
  const outfile = join(folder, "child.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}

export interface Child {
  readonly process: ChildProcess;
  /** What it has said so far, one value for each whole line. */
  said(): any[];
  /** Waits until it has said this many things. */
  heard(count: number): Promise<any[]>;
  readonly ended: Promise<void>;
}

export function startChild(command: string, args: readonly string[]): Child {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  let text = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  const said = () =>
    text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const ended = once(child, "close").then(() => {});
  return {
    process: child,
    said,
    ended,
    async heard(count) {
      while (said().length < count) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The child ended early: ${errors}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return said();
    },
  };
}
