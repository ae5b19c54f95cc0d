import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BrowserServer, chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { findChromium } from "../../scripts/find-chromium.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser of the run is reached. Empty where there is none. */
    browser: string;
    /** A project in which agents have worked, and the environment in which `zeph watch` finds what they did. */
    seeded: { readonly workspace: string; readonly env: Record<string, string> };
  }
}

/** Enough for every page to have something on it. */
const CALLS = 50;
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** One browser and one store that real agents have filled, for all files of the project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (executablePath === null) {
    project.provide("browser", "");
    project.provide("seeded", { workspace: "", env: {} });
    return async () => {};
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-browser-")));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const [started, seeding] = await Promise.allSettled([startBrowser(executablePath, folder), seedStore(join(folder, "seeded"))]);
  if (started.status === "rejected" || seeding.status === "rejected") {
    if (started.status === "fulfilled") await started.value.close();
    remove();
    throw started.status === "rejected" ? started.reason : (seeding as PromiseRejectedResult).reason;
  }
  project.provide("browser", started.value.wsEndpoint());
  project.provide("seeded", seeding.value);
  return async () => {
    await started.value.close();
    remove();
  };
}

/** It has a profile and a home of its own, so nothing of the person who runs the tests is read or written. */
const startBrowser = (executablePath: string, home: string): Promise<BrowserServer> =>
  chromium.launchServer({ executablePath, args: FLAGS, timeout: 0, env: { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: tmpdir() } });

async function seedStore(folder: string): Promise<{ workspace: string; env: Record<string, string> }> {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/watch-seed.mjs", folder, "--calls", String(CALLS)]);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}
