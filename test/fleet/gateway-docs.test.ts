import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createFleetConfirm } from "../../src/fleet/govern/confirm.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { startGatewayProcess } from "./gateway-process.ts";
import { newToken } from "./gateway-support.ts";

const run = promisify(execFile);
const page = readFileSync(join(import.meta.dirname, "../../docs/gateway.md"), "utf8");

/** Each block of commands that asks a gateway, with the answer that the page shows behind it. */
const EXAMPLES = [...page.matchAll(/```sh\n(curl[\s\S]*?)```(?:\n```json\n([\s\S]*?)```)?/g)].map(([, commands, answer]) => ({
  commands: commands!,
  answer: answer === undefined ? null : JSON.parse(answer),
}));

let store: string;
beforeAll(async () => {
  if (hasPostgres) store = await makeSchema();
});

describe.skipIf(!hasPostgres)("docs/gateway.md", () => {
  it("has examples that work, with the answers that it shows", async () => {
    const tenant = newTenant();
    const gateway = await startGatewayProcess(store, [], `[fleet]\ntenant = "${tenant}"\n`);
    const token = (person: string, role: "user" | "approver" | "operator" | "auditor") => newToken(store, tenant, person, role);
    const db = openPg({ url: store, tenant });
    const stop = new AbortController();
    onTestFinished(async () => {
      stop.abort();
      await db.close();
    });
    const queue = createTaskQueue(db);
    const [over, other] = await queue.submit([
      { payload: { format: 1, text: "over", person: "ann" } },
      { payload: { format: 1, text: "other", person: "ann" } },
    ]);
    await queue.cancel({ id: over!.id }, "so that its events end");
    await db.all("select register_worker('worker-3', gen_random_uuid(), null, '1', 4, array[]::text[])");
    const confirm = createFleetConfirm({ db, bus: null, session: "s", person: () => "ann", redact: (text) => text });
    void confirm(
      { call_id: "c", tool: "bash", args: { command: "ls" }, why: ["No rule allows it."], touches: [] },
      { signal: stop.signal },
    );
    const question = await vi.waitFor(
      async () => {
        const row = await db.one("select id, digest from approvals");
        expect(row).toBeDefined();
        return row!;
      },
      { timeout: 25_000, interval: 100 },
    );
    const env = {
      PATH: process.env.PATH,
      FLEET: gateway.url,
      TOKEN: await token("ann", "user"),
      BOSS: await token("boss", "approver"),
      OPERATOR: await token("olga", "operator"),
      AUDITOR: await token("otto", "auditor"),
      TASK: over!.id,
      OTHER: other!.id,
      QUESTION: question.id,
      DIGEST: question.digest,
    };
    expect(EXAMPLES.length).toBeGreaterThan(9);
    for (const { commands, answer } of EXAMPLES) {
      const { stdout } = await run("sh", ["-eu", "-c", commands.replaceAll("curl -sS", "curl --fail -sS")], { env });
      if (answer === null) continue;
      const last = JSON.parse(stdout.trim().split("\n").at(-1)!);
      expect([commands, Object.keys(last)]).toEqual([commands, Object.keys(answer)]);
    }
  });

  it("names every address that a gateway answers", () => {
    const routes = [...readRoutes()];
    expect(routes.length).toBeGreaterThan(10);
    const missing = routes.filter((path) => !page.includes(path.split("*")[0]!) || !page.includes(path.split("*").at(-1)!));
    expect(missing).toEqual([]);
  });
});

function readRoutes(): Set<string> {
  const folder = join(import.meta.dirname, "../../src/front/gateway");
  const files = ["task-routes", "event-routes", "approval-routes", "audit-routes", "status-routes"];
  return new Set(
    files.flatMap((name) => [...readFileSync(join(folder, `${name}.ts`), "utf8").matchAll(/path: "([^"]+)"/g)].map(([, path]) => path!)),
  );
}
