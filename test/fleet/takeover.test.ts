import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { box } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { serveSteps, type ToldFate } from "./step-model.ts";

const url = hasPostgres ? await makeSchema() : "";
const STEPS = 4;
/** The step in which a worker is lost. */
const FATAL = 2;
const LEASE_MS = 2000;

/** Two workers that are processes of their own, a model they share, and a folder in which steps leave their lines. */
async function twoWorkers() {
  const here = box();
  const shared = join(here.root, "shared");
  mkdirSync(shared);
  const ledger = join(shared, "ledger");
  const at = (name: string) => join(shared, name);
  writeFileSync(ledger, "");
  const command = (step: number) =>
    `: step ${step}; touch ${at(`begun-${step}`)}; until test -e ${at(`may-${step}`)}; do sleep 0.02; done; echo ${step} >> ${ledger}; touch ${at(`made-${step}`)}; until test -e ${at(`end-${step}`)}; do sleep 0.02; done`;
  const look = (step: number) => `: look ${step}; grep -qx ${step} ${ledger} && echo found it || echo nothing`;
  /** What the model waits for before it answers with a step. */
  const before = new Map<number, () => Promise<void>>();
  const model = await serveSteps(STEPS, command, look, async (step) => before.get(step)?.());
  here.config(
    `autonomy = "full"\n[tools.sandbox]\nallow_write = [".", "${shared}"]\n[fleet]\nlease_ms = ${LEASE_MS}\npoll_ms = 100\n[[llm.providers]]\nname = "steps"\ntype = "compatible"\nmodel = "steps"\nbase_url = "${model.url}"\ncontext_tokens = 100000\n`,
  );
  const tenant = newTenant();
  const db = openPg({ url, tenant, role: "zeph_gateway" });
  const admin = openPg({ url, tenant, bare: true });
  onTestFinished(async () => {
    await db.close();
    await admin.close();
  });
  const queue = createTaskQueue(db);
  const said = { A: "", B: "" };
  const start = (name: "A" | "B") => {
    const child = here.start(["worker", "--tenant", tenant, "--name", `${name}.${tenant}`, "--workspaces", join(here.root, name)], {
      ZEPH_STORE: url,
      XDG_STATE_HOME: join(here.root, `state-${name}`),
    });
    child.stderr.on("data", (data) => {
      said[name] += data;
    });
    return child;
  };
  const open = (...names: readonly string[]) => {
    for (const name of names) writeFileSync(at(name), "");
  };
  const [{ id }] = (await queue.submit([{ session: "s1", payload: { format: 1, text: "Do the steps." } }])) as unknown as [{ id: string }];
  return {
    id,
    admin,
    model,
    before,
    said,
    start,
    open,
    lines: () => readFileSync(ledger, "utf8").trim().split("\n").filter(Boolean).map(Number),
    until: (name: string) => expect.poll(() => existsSync(at(name))).toBe(true),
    ended: async () => {
      await expect.poll(async () => (await queue.get(id))!.state).not.toMatch(/queued|running/);
      return (await queue.get(id))!;
    },
  };
}
type Workers = Awaited<ReturnType<typeof twoWorkers>>;

/** Holds a table so that nobody writes to it, until the worker that wants to is gone. */
async function holdTable({ admin }: Workers, table: string, work: (blocked: () => Promise<number>) => Promise<void>): Promise<void> {
  await admin.together(async (rows) => {
    await rows.run(`lock table ${table} in exclusive mode`);
    const waiting = `from pg_stat_activity where wait_event_type = 'Lock' and pid in (select pid from pg_locks where not granted and relation = '${table}'::regclass)`;
    await work(async () => (await rows.all(`select 1 ${waiting}`)).length);
    // Its connections do not notice that it is gone while they wait, and would write what nobody asks for any more.
    await rows.all(`select pg_terminate_backend(pid) ${waiting}`);
  });
}

const gates = (...steps: readonly number[]) => steps.flatMap((step) => [`may-${step}`, `end-${step}`]);
const ALL = Array.from({ length: STEPS }, (_, n) => n + 1);

const journal = async (admin: Pg, id: string): Promise<readonly string[]> =>
  (await admin.all("select state from calls where task = ? order by at", id)).map(({ state }) => state);

/** Each loses its worker at one moment of the fatal step, and says how the journal stands then. */
const MOMENTS: readonly {
  readonly when: string;
  readonly told: ToldFate;
  readonly journal: readonly string[];
  lose(workers: Workers, kill: () => Promise<void>): Promise<void>;
}[] = [
  {
    when: "before the intent",
    told: "not made",
    journal: ["done"],
    async lose(workers, kill) {
      let release = () => {};
      const isAsked = new Promise<void>((resolve) => {
        workers.before.set(FATAL, () => {
          resolve();
          return new Promise((go) => {
            release = go;
          });
        });
      });
      workers.open(...gates(1));
      await isAsked;
      await holdTable(workers, "calls", async (blocked) => {
        workers.before.delete(FATAL);
        release();
        await expect.poll(blocked).toBeGreaterThan(0);
        await kill();
      });
    },
  },
  {
    when: "after the intent",
    told: "unknown",
    journal: ["done", "intent"],
    async lose(workers, kill) {
      workers.open(...gates(1));
      await workers.until(`begun-${FATAL}`);
      await kill();
    },
  },
  {
    when: "after the effect",
    told: "unknown",
    journal: ["done", "intent"],
    async lose(workers, kill) {
      workers.open(...gates(1), `may-${FATAL}`);
      await workers.until(`made-${FATAL}`);
      await kill();
    },
  },
  {
    when: "after the outcome was noted",
    told: "ended",
    journal: ["done", "done"],
    async lose(workers, kill) {
      workers.open(...gates(1));
      await workers.until(`begun-${FATAL}`);
      await holdTable(workers, "messages", async (blocked) => {
        workers.open(...gates(FATAL));
        await expect.poll(blocked).toBeGreaterThan(0);
        await kill();
      });
    },
  },
];

describe.skipIf(!hasPostgres)("a real agent's turn whose worker is lost", () => {
  it.each(MOMENTS)("$when of a call goes on elsewhere, and every step is made once", async ({ told, journal: noted, lose }) => {
    const workers = await twoWorkers();
    const { admin, id, model, start, said } = workers;
    const first = start("A");
    await expect.poll(() => said.A).toContain("took");
    // It has to be in touch with the server for a lease before it may take anything back.
    start("B");
    await lose(workers, async () => {
      first.kill("SIGKILL");
      await new Promise((resolve) => first.once("close", resolve));
    });
    expect((await journal(admin, id)).map((state) => (state === "unknown" ? "intent" : state))).toEqual(noted);
    workers.open(...gates(...ALL));
    const task = await workers.ended();
    expect(workers.lines()).toEqual(ALL);
    expect(model.fates()).toEqual([told]);
    expect(task).toMatchObject({
      state: "done",
      attempt: 2,
      result: { ok: true, text: `All ${STEPS} steps.`, unknown: told === "unknown" ? 1 : 0, worker: expect.stringMatching(/^B/) },
    });
    expect(model.told()).toContain("The process that worked on this was stopped, and another one goes on.");
    expect(model.told()).toContain("there is no snapshot of what was in it");
  });

  it("by a freeze longer than its lease goes on elsewhere; thawed, it writes and does nothing more", async () => {
    const workers = await twoWorkers();
    const { model, start, said } = workers;
    const first = start("A");
    workers.open(...gates(1));
    await workers.until(`begun-${FATAL}`);
    start("B");
    first.kill("SIGSTOP");
    // Its command is not frozen: it makes the step, and nobody hears of it.
    workers.open(`may-${FATAL}`);
    await workers.until(`made-${FATAL}`);
    await expect.poll(() => said.B).toContain("took");
    await expect.poll(() => model.fates()).toEqual(["unknown"]);
    workers.open(...gates(...ALL));
    first.kill("SIGCONT");
    const task = await workers.ended();
    expect(workers.lines()).toEqual(ALL);
    expect(model.fates()).toEqual(["unknown"]);
    expect(task).toMatchObject({ state: "done", attempt: 2, result: { ok: true, worker: expect.stringMatching(/^B/) } });
    // Its log is copied, late as it is: by then it is known what came of the call.
    await expect.poll(async () => (await workers.ended()).result!.unknown).toBe(0);
    await expect.poll(() => said.A).toContain("The session s1 is held by another worker now; nothing was written.");
    first.kill("SIGTERM");
    await expect.poll(() => first.exitCode).toBe(0);
  });
});
