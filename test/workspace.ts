import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRuntime, type RuntimeOptions, type Zeph } from "../src/index.ts";
import type {} from "./any-tool-name.ts";

export type Setup =
  | { op: "mkdir"; path: string }
  | { op: "file"; path: string; content: string }
  | { op: "symlink"; path: string; target: string }
  | { op: "fifo"; path: string }
  | { op: "sparse"; path: string; size: number };

/** A fresh folder `$T` with `work` in it, and a runtime whose store and audit lie apart from both. */
/** Options with a configuration of any shape: what is wrong with it is what many tests are about. */
export type Loosely<O> = Omit<O, "config"> & { readonly config?: object | string };

export interface Workspace {
  readonly T: string;
  readonly work: string;
  readonly state: string;
  runtime(options?: Loosely<RuntimeOptions> & { file?: object }): Promise<Zeph>;
  audit(): string;
  remove(): void;
}

const ALL = ["read", "write", "edit", "grep", "find_path", "list_directory", "create_directory", "delete_path", "move_path", "copy_path"];
/** Every file tool allowed, so that only the files gate and the host decide. */
const ALLOW = Object.fromEntries(ALL.map((tool) => [tool, [{ pattern: "*", action: "allow" }]]));

/** What a tool returns is looked at here as it is, however long. */
const WHOLE = { threshold: 100_000_000 };

export function workspace(setup: readonly Setup[] = []): Workspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-case-")));
  const T = join(base, "t");
  const state = join(base, "state");
  mkdirSync(join(T, "work"), { recursive: true });
  for (const step of setup) apply(T, step);
  const audit = join(state, "audit.jsonl");
  return {
    T,
    work: join(T, "work"),
    state,
    runtime: ({ file = {}, ...options } = {}) =>
      createRuntime({
        cwd: join(T, "work"),
        store: "memory",
        config: { audit: { path: audit }, tools: { file, permissions: ALLOW, overflow: WHOLE } },
        ...options,
      } as RuntimeOptions),
    audit: () => readFileSync(audit, "utf8"),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function apply(T: string, step: Setup): void {
  const path = join(T, step.path);
  if (step.op === "mkdir") return void mkdirSync(path, { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  if (step.op === "file") writeFileSync(path, step.content);
  if (step.op === "symlink") symlinkSync(step.target, path);
  if (step.op === "fifo") execFileSync("mkfifo", [path]);
  if (step.op === "sparse") {
    writeFileSync(path, "");
    truncateSync(path, step.size);
  }
}
