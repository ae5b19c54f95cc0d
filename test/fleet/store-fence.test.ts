import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionFence } from "../../src/core/ports/fleet/session.ts";
import type { OpenQuestion } from "../../src/core/ports/open-questions.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { openSharedStore } from "../../src/store/pg/open-shared.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const SESSION = "s 1";
const REFUSED = `The session ${SESSION} is held by another worker now; nothing was written.`;

/** What a session has written so far. */
interface Written {
  readonly conversation: string;
  readonly goal: string;
  readonly memory: string;
  readonly scheduled: string;
}

const question = (callId: string, conversation: string): Omit<OpenQuestion, "since"> => ({
  callId,
  workspace: "/w",
  question: { call_id: callId, tool: "write", args: {}, why: [], touches: [], conversation },
  args: {},
  asked: [],
  sight: "",
  caller: { phase: "executor", trust: "trusted" },
  untrusted: false,
});
const counted = { tokens: 7, position: 1 };
const task = { workspace: "/w", task: "t", when: "w", cron: null, nextAt: 1, untrusted: false, bound: null };

/** Every write of a session. */
const WRITES: Readonly<Record<string, (store: Store, of: Written) => Promise<unknown>>> = {
  "conversations.create": ({ conversations }) => conversations.create("/w", "another"),
  "conversations.append": ({ conversations }, { conversation }) => conversations.append(conversation, [{ role: "user", text: "late" }]),
  "conversations.append from a position": ({ conversations }, { conversation }) =>
    conversations.append(conversation, [{ role: "user", text: "late" }], { after: 1, counted }),
  "conversations.append of megabytes": ({ conversations }, { conversation }) =>
    conversations.append(conversation, [{ role: "user", text: "late ".repeat(150_000) }]),
  "conversations.startWindow": ({ conversations }, { conversation }) =>
    conversations.startWindow(conversation, { start: 1, elidedUntil: 1, counted }),
  "conversations.mark": ({ conversations }, { conversation }) =>
    conversations.mark(conversation, { untrusted: true, skill: { name: "s", trust: "untrusted" } }),
  "conversations.delete": ({ conversations }, { conversation }) => conversations.delete(conversation),
  "summaries.add": ({ summaries }, { conversation }) =>
    summaries.add({ conversation, until: 1, text: "late", opening: "", method: "triggered" }),
  "goals.create": ({ goals }) => goals.create({ workspace: "/w", text: "late", tasks: [] }),
  "goals.setStatus": ({ goals }, { goal }) => goals.setStatus(goal, "done"),
  "goals.setTask": ({ goals }, { goal }) => goals.setTask(goal, 1, { status: "done", note: "late" }),
  "overflow.put": ({ overflow }, { conversation }) => overflow.put({ owner: { conversation }, text: "late" }),
  "overflow.put of megabytes": ({ overflow }) => overflow.put({ owner: { session: "x" }, text: "late ".repeat(300_000), handle: 2 }),
  "openQuestions.add": ({ openQuestions }, { conversation }) => openQuestions.add(question("late", conversation)),
  "openQuestions.answer": ({ openQuestions }) => openQuestions.answer("asked", { answer: "no" }),
  "openQuestions.take": ({ openQuestions }) => openQuestions.take("asked"),
  "memories.save": ({ memories }) => memories.save({ content: "late", workspace: "/w", untrusted: false }),
  "memories.forget": ({ memories }, { memory }) => memories.forget({ id: memory }),
  "memories.forget of a workspace": ({ memories }) => memories.forget({ workspace: "/w" }),
  "memories.forget of all": ({ memories }) => memories.forget("all"),
  "schedule.add": ({ schedule }) => schedule.add(task),
  "schedule.take": ({ schedule }) => schedule.take("/w", 5, () => null),
  "schedule.ended": ({ schedule }, { scheduled }) => schedule.ended(scheduled, { at: 5, ok: true }),
  "schedule.remove": ({ schedule }, { scheduled }) => schedule.remove(scheduled),
};

const TABLES = [
  "conversations",
  "messages",
  "message_pieces",
  "said",
  "summaries",
  "goals",
  "goal_tasks",
  "tool_overflow",
  "open_questions",
  "memories",
  "scheduled_tasks",
];

describe.skipIf(!hasPostgres)("the fence of a session", () => {
  let url = "";
  let admin: Pg;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    url = await makeSchema();
    admin = openPg({ url, bare: true });
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await admin.close();
  });

  const everything = async (tenant: string) => {
    const rows = TABLES.map((table) => admin.all(`select t::text as row from ${table} t where tenant = ? order by 1`, tenant));
    return (await Promise.all(rows)).flat();
  };
  const open = async () => {
    const tenant = newTenant();
    await admin.run("insert into sessions (tenant, id, holder, epoch) values (?, ?, 'first', 1)", tenant, SESSION);
    let fence: SessionFence | null = { session: SESSION, epoch: 1 };
    const store = openSharedStore({ url, tenant, local: "memory", max: 3, fence: () => fence });
    closing.push(() => store.close());
    const { id: conversation } = await store.conversations.create("/w", "t");
    await store.conversations.append(conversation, [{ role: "user", text: "hello" }]);
    const { id: goal } = await store.goals.create({ workspace: "/w", text: "g", tasks: [{ n: 1, title: "t", needs: [], status: "open" }] });
    const { id: memory } = await store.memories.save({ content: "early", workspace: "/w", untrusted: false });
    const { id: scheduled } = await store.schedule.add(task);
    await store.openQuestions.add(question("asked", conversation));
    return {
      tenant,
      store,
      written: { conversation, goal, memory, scheduled },
      hold: (epoch: number | null) => {
        fence = epoch === null ? null : { session: SESSION, epoch };
      },
      take: () => admin.run("update sessions set epoch = epoch + 1, holder = 'second' where tenant = ? and id = ?", tenant, SESSION),
    };
  };

  it.each(Object.entries(WRITES))("%s changes something while the session is held, and nothing afterwards", async (_name, write) => {
    const { tenant, store, written, take } = await open();
    await take();
    const before = await everything(tenant);
    await expect(write(store, written)).rejects.toMatchObject({ name: "ConversationError", message: REFUSED });
    expect(await everything(tenant)).toEqual(before);
    await admin.run("update sessions set epoch = 1 where tenant = ? and id = ?", tenant, SESSION);
    await write(store, written);
    expect(await everything(tenant)).not.toEqual(before);
  });

  it("is of one tenant: another's session of the same name does not count", async () => {
    const { tenant, store, written } = await open();
    await admin.run("delete from sessions where tenant = ?", tenant);
    await expect(WRITES["conversations.append"]!(store, written)).rejects.toThrow(REFUSED);
  });

  it("lets pass what finds nothing to change, and what nobody holds", async () => {
    const { store, written, take, hold } = await open();
    expect(await store.conversations.delete("none")).toBe(false);
    expect(await store.openQuestions.take("none")).toBe(false);
    expect(await store.goals.setTask(written.goal, 9, { status: "done" })).toBe(false);
    await store.conversations.startWindow("none", { start: 1, elidedUntil: 1, counted });
    await take();
    hold(2);
    expect(await store.conversations.append(written.conversation, [{ role: "user", text: "new" }])).toBe(2);
    hold(null);
    expect(await store.conversations.append(written.conversation, [{ role: "user", text: "nobody's" }])).toBe(3);
  });

  it("makes a write wait for whoever is taking the session, and then refuses it", async () => {
    const { tenant, store, written } = await open();
    const before = await everything(tenant);
    let late: Promise<unknown> = Promise.resolve();
    await admin.together(async (rows) => {
      await rows.run("update sessions set epoch = 2 where tenant = ? and id = ?", tenant, SESSION);
      late = WRITES["conversations.append"]!(store, written).then(
        () => "written",
        (error: Error) => error.message,
      );
      await expect.poll(waiting).toBeGreaterThan(0);
    });
    expect(await late).toBe(REFUSED);
    expect(await everything(tenant)).toEqual(before);
  });

  /** How many wait for the lock of a session. */
  const waiting = async (): Promise<number> =>
    (await admin.one("select count(*) as number from pg_stat_activity where wait_event_type = 'Lock' and query like '%sessions%'"))!.number;
});
