import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRuntime } from "../src/index.ts";
import { workspace } from "./workspace.ts";

const SAMPLES = join(import.meta.dirname, "document-samples");
const PAGE = readFileSync(join(import.meta.dirname, "../docs/from-the-spec.md"), "utf8");

/** What a sample that does not start, or warns, says. Every other one starts without a word. */
const SAYS: Readonly<Record<string, readonly RegExp[]>> = {};

/** Starts with a sample as the person's configuration, or as their filter file, and runs a command. Returns the error or the warnings. */
async function start(name: string): Promise<readonly string[]> {
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
    return [...new Set([...zeph.warnings, ...warnings])];
  } catch (error) {
    return [(error as Error).message];
  } finally {
    place.remove();
  }
}

it.each(readdirSync(SAMPLES))("%s starts, or says what the page promises", async (name) => {
  const said = await start(name);
  console.log(name, said);
});
