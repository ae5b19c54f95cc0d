import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRuntime } from "../src/index.ts";
import { workspace } from "./workspace.ts";

const SAMPLES = join(import.meta.dirname, "document-samples");
const PAGE = readFileSync(join(import.meta.dirname, "../docs/from-the-spec.md"), "utf8");

interface Said {
  /** Whether Zeph starts. */
  readonly starts: boolean;
  /** In every message, and on the page. */
  readonly words: string;
}

/** What a sample that does not start, or warns, says. Every other one starts without a word. */
const SAYS: Readonly<Record<string, Said>> = {
  "04-permissions-bash.toml": { starts: false, words: "trying to redefine an already defined table or value" },
  "07-filters.toml": { starts: true, words: "This file does not exist. The built-in rules are used." },
  "13-dependencies.toml": { starts: true, words: "there is no tool of this name" },
  "23-words.toml": { starts: false, words: "illegal character in key" },
  "27-scope.toml": { starts: false, words: 'there is no user "zeph" on this machine' },
  "41-authorization.toml": { starts: false, words: "each key-value declaration must be followed by an end-of-line" },
};

/** Starts with a sample as the person's configuration, or as their filter file, and runs a command. Returns the error or the warnings. */
async function start(name: string): Promise<{ readonly starts: boolean; readonly said: readonly string[] }> {
  const text = readFileSync(join(SAMPLES, name), "utf8");
  const place = workspace();
  const own = join(place.state, "own");
  mkdirSync(own, { recursive: true });
  const config = join(own, "config.toml");
  const base = `[audit]\npath = ${JSON.stringify(join(place.state, "audit.jsonl"))}\n`;
  const isFilter = text.startsWith("[[rules]]");
  writeFileSync(config, isFilter ? base : `${text}\n${base}`);
  if (isFilter) writeFileSync(join(own, "filters.toml"), text);
  const warnings: string[] = [];
  try {
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      config,
      confirm: () => "once",
      onEvent: (event) => {
        if (event.type === "warning") warnings.push(event.message);
      },
    });
    await zeph.call("bash", { command: "echo hello" });
    await zeph.close();
    return { starts: true, said: [...zeph.warnings, ...warnings] };
  } catch (error) {
    return { starts: false, said: [(error as Error).message] };
  } finally {
    place.remove();
  }
}

const NAMES = readdirSync(SAMPLES);

it("there are 41 samples, and the page speaks of those that say something", () => {
  expect(NAMES).toHaveLength(41);
  expect(NAMES).toEqual(expect.arrayContaining(Object.keys(SAYS)));
  for (const { words } of Object.values(SAYS)) expect(PAGE).toContain(words);
});

it.each(NAMES)("%s starts without a word, or says what the page promises", async (name) => {
  const expected = SAYS[name];
  const { starts, said } = await start(name);
  expect(starts).toBe(expected?.starts ?? true);
  if (!expected) expect(said).toEqual([]);
  else expect(said.length).toBeGreaterThan(0);
  for (const message of said) expect(message).toContain(expected!.words);
  // What is no TOML is told with line and column.
  if (expected && !starts && !expected.words.includes("user")) expect(said[0]).toMatch(/config\.toml:\d+:\d+: /);
});
