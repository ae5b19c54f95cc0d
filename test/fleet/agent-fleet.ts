import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import type { Model, ModelEvent, Prompt } from "../../src/core/ports/model.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import type { NewTask } from "../../src/fleet/task.ts";
import { runFleetWorker } from "../../src/runtime/fleet/fleet-worker.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { statePaths } from "../../src/store/state-paths.ts";
import { newTenant } from "./database.ts";

let made = 0;
/** Removed when the workers of the test have ended. */
const folders: string[] = [];
export const folder = () => {
  const path = mkdtempSync(join(tmpdir(), "zeph-turn-"));
  folders.push(path);
  return path;
};

/** Says what a function makes of the prompt. */
export const modelOf = (
  answer: (prompt: Prompt) => readonly ModelEvent[] | Promise<readonly ModelEvent[]>,
): Model & { readonly given: Prompt[] } => {
  const given: Prompt[] = [];
  return {
    id: "test/model",
    contextTokens: 100_000,
    given,
    async *stream(prompt) {
      given.push({ ...prompt, messages: [...prompt.messages] });
      yield* await answer(prompt);
    },
  };
};

export interface Started {
  readonly tenant: string;
  readonly submit: (task: Partial<NewTask> & { readonly text: string }) => Promise<string>;
  readonly ended: (id: string) => Promise<NonNullable<Awaited<ReturnType<ReturnType<typeof createTaskQueue>["get"]>>>>;
  readonly queue: ReturnType<typeof createTaskQueue>;
  worker(
    model: Model,
    options?: { readonly name?: string; readonly root?: string; readonly fleet?: object; readonly config?: object | string },
  ): { stop(): Promise<void>; readonly warned: string[]; readonly root: string };
}

export function fleet(url: string): Started {
  const tenant = newTenant();
  const db = openPg({ url, tenant, role: "zeph_gateway" });
  const queue = createTaskQueue(db);
  const running = new Set<() => Promise<void>>();
  onTestFinished(async () => {
    for (const stop of running) await stop();
    await db.close();
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
  });
  return {
    tenant,
    queue,
    submit: async ({ text, ...task }) => (await queue.submit([{ ...task, payload: { format: 1, text, ...task.payload } }]))[0]!.id,
    ended: (id) =>
      expect
        .poll(() => queue.get(id), { interval: 50 })
        .toSatisfy((task) => task !== null && !["queued", "running"].includes(task.state))
        .then(async () => (await queue.get(id))!),
    worker(model, { name = `w${++made}`, root = folder(), fleet = {}, config: more = { autonomy: "full" } } = {}) {
      const state = folder();
      const end = new AbortController();
      const warned: string[] = [];
      const config = parseConfig({ fleet: { lease_ms: 3000, poll_ms: 100, repositories: ["file:///"], ...fleet } });
      const work = runFleetWorker({
        settings: {
          store: url,
          bus: "",
          tenant,
          fleet: config.fleet,
          at: statePaths({ store: join(state, "zeph.db"), audit: join(state, "audit.jsonl") }),
          ship: "off",
          warnings: [],
        },
        agents: { model, config: agentConfig(more, state) },
        name,
        version: "1",
        slots: 4,
        labels: [],
        root,
        signal: end.signal,
        warn: (words) => warned.push(words),
      });
      const stop = async () => {
        running.delete(stop);
        end.abort();
        await work;
      };
      running.add(stop);
      return { stop, warned, root };
    },
  };
}

/** A text is a file, as `zeph worker` reads one: only below a file does a project's own file count. */
function agentConfig(given: object | string, state: string): object | string {
  const audit = join(state, "audit.jsonl");
  if (typeof given === "object") return { ...given, audit: { path: audit } };
  const file = join(state, "config.toml");
  writeFileSync(file, `${given}\n[audit]\npath = ${JSON.stringify(audit)}\n`);
  return file;
}

/** How many messages of a tenant there are. */
export async function counted(url: string, tenant: string): Promise<number> {
  const db = openPg({ url, tenant });
  const row = await db.one("select count(*) as n from inbox");
  await db.close();
  return row!.n;
}

/** A repository as a server has it. */
export function makeRemote() {
  const remote = folder();
  const seed = folder();
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  git(seed, "init", "-q", "-b", "main");
  writeFileSync(join(seed, "a.txt"), "one\n");
  writeFileSync(join(seed, ".gitignore"), "built/\n");
  git(seed, "add", "-A");
  git(seed, "commit", "-qm", "first");
  git(remote, "clone", "-q", "--bare", seed, ".");
  return { remote, git };
}
