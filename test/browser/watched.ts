import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import { findChromium } from "../../scripts/find-chromium.mjs";
import { waitAtMost } from "../../src/text/wait-within.ts";
import { BIN, jsonLines } from "../e2e/zeph.ts";

export const hasChromium = findChromium() !== null;

/** Where a `zeph watch` runs, and what it finds there. */
export interface WatchedPlace {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** The built program as a person starts it. */
export interface Watching {
  /** `http://127.4.5.6:7890` */
  readonly address: string;
  /** Good for one entry. */
  readonly link: string;
  readonly code: string;
  close(): Promise<void>;
}

export async function startWatching({ cwd, env }: WatchedPlace, args: readonly string[] = []): Promise<Watching> {
  const child = spawn(process.execPath, [BIN, "watch", "--json", "--no-open", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let told = "";
  child.stderr.on("data", (chunk) => {
    told += String(chunk);
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line") as Promise<[string]>,
    once(child, "close").then(() => Promise.reject(new Error(`zeph watch ended: ${told}`))),
  ]);
  const { address, link } = JSON.parse(line) as { address: string; link: string };
  return { address, link, code: link.split("#t=")[1]!, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGINT");
  await closed;
}

/** The project that all files of this folder share. Who removes something from it takes care of the others. */
export function seededPlace(): WatchedPlace {
  const { workspace, env } = inject("seeded");
  return { cwd: workspace, env: { PATH: process.env.PATH ?? "", LANG: "C.UTF-8", TZ: "UTC", ...env } };
}

/** As long as `expect.poll` waits (vitest.config.ts). What does not come is named, where the limit of a test would only end it. */
const PATIENCE_MS = 60_000;
const CLOSE_MS = 10_000;

/** A window of the run's browser. */
export interface Reader {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What pages wrote into the browser's console, and what failed in them. */
  readonly complaints: string[];
  close(): Promise<void>;
}

const browsers = new Map<string, Promise<Browser>>();
const sharedBrowser = (): Promise<Browser> => {
  const address = inject("browser");
  const known = browsers.get(address) ?? chromium.connect(address);
  browsers.set(address, known);
  return known;
};

export async function openReader(options: BrowserContextOptions = {}): Promise<Reader> {
  const context = await (await sharedBrowser()).newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  context.on("console", (message) => complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`));
  context.on("weberror", (error) => complaints.push(`error: ${error.error().message}`));
  // A browser that is slow to let go of a page is closed with all of them at the end.
  const close = () => waitAtMost(context.close(), CLOSE_MS);
  return { context, page: await context.newPage(), complaints, close };
}

/** Comes in as a person does who opens the link. */
export async function enter({ page }: Pick<Reader, "page">, { link }: Watching): Promise<void> {
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
}

/** Two processes that write at a time write two files. */
export function readLog(env: Readonly<Record<string, string>>) {
  const folder = join(env.XDG_STATE_HOME!, "zeph");
  const files = readdirSync(folder).filter((name) => /^audit.*\.jsonl$/.test(name));
  return files.flatMap((name) => jsonLines(readFileSync(join(folder, name), "utf8")));
}
