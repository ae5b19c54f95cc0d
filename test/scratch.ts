import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Loaded, type LoadOptions, loadConfig } from "../src/config/load.ts";

/** A home and a project in a temporary folder, gone after the test. */
export interface Scratch {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  readonly userFile: string;
  readonly projectFile: string;
  write(file: string, text: string | Uint8Array): string;
  user(text: string): string;
  project(text: string): string;
  load(options?: Partial<LoadOptions>): Loaded;
}

export function scratch(): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-config-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, "home");
  const cwd = join(home, "work");
  mkdirSync(cwd, { recursive: true });
  const userFile = join(home, ".config", "zeph", "config.toml");
  const projectFile = join(cwd, ".zeph", "config.toml");
  const write = (file: string, text: string | Uint8Array) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return {
    root,
    home,
    cwd,
    userFile,
    projectFile,
    write,
    user: (text) => write(userFile, text),
    project: (text) => write(projectFile, text),
    load: (options = {}) => loadConfig({ cwd, home, env: {}, trusted: () => false, ...options }),
  };
}

/** The message of what was thrown. */
export function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}
