// One cell of one client: a place of its own, Zeph's hooks as `zeph hook install` writes them, a scripted model, and the client itself.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENTS } from "./clients.mjs";
import { PROMPT, startModel } from "./model.mjs";
import { installHooks, openPlace, removePlace, runAlone } from "./place.mjs";
import { openTerminal } from "./terminal.mjs";

const ALONE_MS = 180_000;
const SEATED_MS = 180_000;
const ANSWERED_MS = 60_000;
const SILENT_MS = 6000;

/** Returns what the cell says, and what else there is to know. With `keep`, the places stay where they are. */
export async function runCell(cell, client, found, { base, keep }) {
  const opened = [];
  const context = { client, ...CLIENTS[client] };
  const begun = performance.now();
  const details = {};
  try {
    const outcome = await cell.run({ alone: (wish) => alone(wish), seated: (wish) => seated(wish) }, context);
    return { outcome, seconds: Math.round((performance.now() - begun) / 1000), ...details };
  } catch (error) {
    return { outcome: `failed: ${error.message.split("\n")[0].slice(0, 200)}`, ...details };
  } finally {
    for (const { place, model, at } of opened) {
      place?.close();
      await model.stop();
      if (!keep) removePlace(at);
    }
  }

  async function open({ steps, below = [], hooks = true, after, mcp = false, ...wish }) {
    const at = join(base, `${client}-${opened.length}`);
    mkdirSync(at, { recursive: true });
    const list = [];
    const model = await startModel(list, join(at, "model.jsonl"), below);
    const one = { model, at };
    opened.push(one);
    const work = join(at, "work");
    const server = { command: process.execPath, args: [join(import.meta.dirname, "mark-server.mjs"), join(work, "ran")] };
    const place = openPlace(at, { ...wish, client, found, url: model.url, ...(mcp && { mcp: server }) });
    one.place = place;
    list.push(...(typeof steps === "function" ? steps(place, model) : steps));
    if (hooks) installHooks(place);
    await after?.(place);
    return { place, model, at };
  }

  /** `late` are variables that the client alone gets. They and the words may depend on the place. */
  async function alone({ argv = context.alone, late = () => ({}), ...wish }) {
    const { place, model, at } = await open(wish);
    const about = { ...place, url: model.url };
    const words = typeof argv === "function" ? argv(about) : argv;
    const env = { ...place.env, ...late(about) };
    const ended = await runAlone([...found.argv, ...words], { ...place, env, log: join(at, "said.txt"), limitMs: ALONE_MS });
    Object.assign(details, {
      ended: ended.how,
      read: model.read.map((text) => text.slice(0, 500)),
      said: model.read.length ? undefined : ended.said,
    });
    return { place, model, ended };
  }

  async function seated({ question, answer, ...wish }) {
    const { place, model, at } = await open(wish);
    const terminal = openTerminal([...found.argv, ...context.seated], { ...place, log: join(at, "screen.txt"), limitMs: SEATED_MS });
    try {
      if ((await terminal.until(context.ready)) === null) throw new Error("it did not come to its prompt");
      await terminal.still();
      terminal.type(PROMPT);
      await sleep(500);
      terminal.keys("Enter");
      const shown = await terminal.until(question, () => model.read.length > 0);
      details.screen = shown ?? terminal.screen();
      if (shown !== null) {
        await terminal.still();
        for (const key of context[answer]) {
          terminal.keys(key);
          await sleep(300);
        }
      }
      for (let waited = 0; waited < ANSWERED_MS && model.read.length === 0; waited += 200) {
        // After a no some clients wait for the person, and the model hears nothing.
        if (answer === "no" && waited > SILENT_MS) break;
        await sleep(200);
      }
      details.read = model.read.map((text) => text.slice(0, 500));
      return { place, model, shown: shown !== null };
    } finally {
      terminal.close();
    }
  }
}
