import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { ask, newToken } from "./gateway-support.ts";

const url = hasPostgres ? await makeSchema() : "";
const TRACE = "ab".repeat(16);
const HEADER = `00-${TRACE}-${"cd".repeat(8)}-01`;

/** A machine whose programs are watched by an SDK of OpenTelemetry. */
function watchedMachine() {
  const here = scripted(box(), [[says("All done.")]], "[fleet]\nlease_ms = 3000\npoll_ms = 200\n");
  const file = join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml");
  here.config(readFileSync(file, "utf8").replace('"turns.json"', JSON.stringify(join(here.cwd, "turns.json"))));
  const seen = join(here.root, "seen.jsonl");
  Object.assign(here.env, {
    ZEPH_STORE: url,
    XDG_DATA_HOME: join(here.root, "data"),
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "watched.mjs"))}`,
    WATCHED_FILE: seen,
  });
  const lines = (): readonly Record<string, unknown>[] =>
    existsSync(seen)
      ? readFileSync(seen, "utf8")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  const span = (name: string, command: string, trace: string) =>
    lines().find((one) => one.span === name && one.command === command && one.traceId === trace);
  return { here, lines, span };
}

async function startGateway(here: Box): Promise<string> {
  const child = here.start(["serve", "--port", "0"]);
  let said = "";
  child.stderr.on("data", (data) => {
    said += data;
  });
  await expect.poll(() => said).toMatch(/^zeph serve: \S+ /m);
  return /^zeph serve: (\S+) /m.exec(said)![1]!;
}

describe.skipIf(!hasPostgres)("programs of a fleet that are watched", () => {
  it("put a turn into one trace, from the gateway or the command that gave it to the worker", async () => {
    const { here, span } = watchedMachine();
    const tenant = newTenant();
    const ann = await newToken(url, tenant, "ann", "user");
    const gateway = await startGateway(here);
    here.start(["worker", "--tenant", tenant]);
    const post = (path: string, body: object) => ask(gateway, ann, "POST", path, body, { traceparent: HEADER });
    await post("/v1/tasks", { text: "Do it" });
    await expect.poll(() => span("run_task", "worker", TRACE)).toBeDefined();
    const given = span("submit_task", "serve", TRACE)!;
    expect(given.parent).toBe("cd".repeat(8));
    expect(span("run_task", "worker", TRACE)!.parent).toBe(given.spanId);
    expect(span("invoke_agent zeph", "worker", TRACE)!.parent).toBe(span("run_task", "worker", TRACE)!.spanId);

    // What is said to a session, and a command that was started in a trace.
    const [said, typed, filed] = ["12", "34", "56"].map((digits) => digits.repeat(16)) as [string, string, string];
    await ask(gateway, ann, "POST", "/v1/sessions/s/messages", { text: "Hello" }, { traceparent: HEADER.replace(TRACE, said) });
    here.write("tasks.jsonl", '{"text": "a"}\n');
    for (const [trace, ...words] of [
      [typed, "Do that"],
      [filed, "--file", "tasks.jsonl", "--batch", "b"],
    ] as const) {
      const child = here.start(["submit", "--tenant", tenant, ...words], { TRACEPARENT: HEADER.replace(TRACE, trace) });
      expect((await ended(child)).code).toBe(0);
    }
    for (const [trace, command] of [
      [said, "serve"],
      [typed, "submit"],
      [filed, "submit"],
    ] as const) {
      await expect.poll(() => span("run_task", "worker", trace)).toBeDefined();
      expect(span("run_task", "worker", trace)!.parent).toBe(span("submit_task", command, trace)!.spanId);
    }
  });

  it("tell how many tasks wait, whenever somebody collects", async () => {
    const { here, lines } = watchedMachine();
    const [mine, other] = [newTenant(), newTenant()];
    // Nobody takes them.
    for (const tenant of [mine, mine, other]) await here.run(["submit", "x", "--tenant", tenant, "--label", "nobody"]);
    await startGateway(here);
    here.start(["worker", "--tenant", mine]);
    here.start(["worker", "--workspaces", join(here.root, "all"), "--name", "all", "--set", "fleet.slots=1"]);
    const depth = (command: string, tenant: string) =>
      lines().findLast((one) => one.metric === "zeph.fleet.queue.depth" && one.command === command && one["zeph.tenant"] === tenant)?.value;
    for (const command of ["serve", "worker"]) {
      await expect.poll(() => depth(command, mine)).toBe(2);
      await expect.poll(() => depth(command, other)).toBe(1);
    }
  });
});
