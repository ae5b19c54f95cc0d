import { connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { openSharedStore } from "../../src/store/pg/open-shared.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const text = (words: string) => [{ role: "user", text: words } as const];
const counted = { tokens: 1, position: 0 };

/** Writes that must be there once, with the number of rows that are there afterwards. */
const WRITES: Readonly<Record<string, readonly [table: string, rows: number, (store: Store, id: string) => Promise<unknown>]>> = {
  "conversations.create": ["conversations", 2, ({ conversations }) => conversations.create("/w", "t")],
  "conversations.append": ["messages", 2, ({ conversations }, id) => conversations.append(id, [...text("a"), ...text("b")])],
  "conversations.append from a position": [
    "messages",
    1,
    ({ conversations }, id) => conversations.append(id, text("a"), { after: 0, counted }),
  ],
  "overflow.put": ["tool_overflow", 1, ({ overflow }, conversation) => overflow.put({ owner: { conversation }, text: "x", handle: 1 })],
  "summaries.add": [
    "summaries",
    1,
    ({ summaries }, conversation) => summaries.add({ conversation, until: 1, text: "s", opening: "", method: "manual" }),
  ],
  "goals.create": [
    "goal_tasks",
    1,
    ({ goals }) => goals.create({ workspace: "/w", text: "g", tasks: [{ n: 1, title: "t", needs: [], status: "open" }] }),
  ],
  "memories.save": ["memories", 1, ({ memories }) => memories.save({ content: "m", workspace: "/w", untrusted: false })],
  "schedule.add": [
    "scheduled_tasks",
    1,
    ({ schedule }) => schedule.add({ workspace: "/w", task: "t", when: "w", cron: null, nextAt: 1, untrusted: false, bound: null }),
  ],
  "trajectories.add": [
    "trajectories",
    1,
    ({ trajectories }) => trajectories.add({ workspace: "/w", callId: "c", steps: [["read"]], ended: "ok" }),
  ],
};

describe.skipIf(!hasPostgres)("an answer that is lost on its way", () => {
  let url = "";
  let admin: Pg;
  let between: Server;
  /** How many answers come through before one is lost with its connection; null for all. */
  let untilLoss: number | null = null;
  let lost = 0;
  beforeAll(async () => {
    url = await makeSchema();
    admin = openPg({ url, bare: true });
    const port = Number(new URL(url).port);
    between = createServer((client) => {
      const server = connect(port, "127.0.0.1");
      client.pipe(server);
      server.on("data", (bytes) => {
        if (untilLoss === null || untilLoss > 0) {
          if (untilLoss !== null) untilLoss -= 1;
          return client.write(bytes);
        }
        untilLoss = null;
        lost += 1;
        client.destroy();
        return server.destroy();
      });
      for (const side of [client, server]) side.on("error", () => {});
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
    });
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await admin.close();
    await new Promise((resolve) => between.close(resolve));
  });

  /** A transaction has more answers than a statement; whichever is lost, it is done once. */
  const CASES = Object.entries(WRITES).flatMap(([name, write]) =>
    Array.from({ length: name === "goals.create" ? 8 : 1 }, (_, answers) => [name, answers, ...write] as const),
  );

  it.each(CASES)("leaves %s done once, after %d answers", async (_name, answers, table, rows, write) => {
    const tenant = newTenant();
    const through = new URL(url);
    through.port = String((between.address() as { port: number }).port);
    const store = openSharedStore({ url: through.href, tenant, local: "memory", max: 1, fence: () => null });
    try {
      const { id } = await store.conversations.create("/w", "before");
      lost = 0;
      untilLoss = answers;
      await write(store, id);
      expect(lost).toBe(1);
      expect((await admin.one(`select count(*) as number from ${table} where tenant = ?`, tenant))!.number).toBe(rows);
    } finally {
      untilLoss = null;
      await store.close();
    }
  });
});
