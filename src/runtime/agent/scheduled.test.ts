import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ScheduledTask, Store } from "../../core/ports/store.ts";
import { openStore } from "../../store/open.ts";
import { type Due, runDue, type TaskEnd, watchSchedule } from "./scheduled.ts";

const WORK = "/w";
const NOW = Date.parse("2026-11-15T12:00:30Z");
const NEVER = new AbortController().signal;
const OK: TaskEnd = { ok: true, text: "done" };

let store: Store;
let warnings: string[];
beforeEach(() => {
  store = openStore("memory");
  warnings = [];
  onTestFinished(() => store.close());
});
afterEach(() => void vi.useRealTimers());

const add = (task: string, nextAt: number, cron: string | null = null, to: Store = store) =>
  to.schedule.add({ workspace: WORK, task, when: "then", cron, nextAt, untrusted: false, bound: null });
const due = (run: Due["run"], more: Partial<Due> = {}): Due => ({
  schedule: store.schedule,
  workspace: WORK,
  now: () => NOW,
  run,
  warn: (message) => void warnings.push(message),
  ...more,
});
/** Notes what ran, and how many at the same time. */
function runner(end: TaskEnd = OK) {
  const ran: string[] = [];
  let at = 0;
  let most = 0;
  const run = async ({ task }: ScheduledTask): Promise<TaskEnd> => {
    most = Math.max(most, ++at);
    await new Promise((resolve) => setImmediate(resolve));
    ran.push(task);
    at -= 1;
    return end;
  };
  return { ran, run, most: () => most };
}

describe("runDue", () => {
  it("works off what is due, the oldest first and one at a time", async () => {
    await add("second", NOW - 1000);
    await add("first", NOW - 5000);
    await add("now", NOW);
    await add("later", NOW + 1);
    await store.schedule.add({
      workspace: "/other",
      task: "elsewhere",
      when: "then",
      cron: null,
      nextAt: NOW - 1,
      untrusted: false,
      bound: null,
    });
    const { ran, run, most } = runner();
    expect(await runDue(due(run), NEVER)).toHaveLength(3);
    expect(ran).toEqual(["first", "second", "now"]);
    expect(most()).toBe(1);
    expect(await runDue(due(run), NEVER)).toEqual([]);
  });

  it("runs once what was missed many times, and not before its next time", async () => {
    const { id } = await add("often", NOW - 7 * 3_600_000, "*/15 * * * *");
    const { ran, run } = runner();
    await runDue(due(run), NEVER);
    expect(ran).toEqual(["often"]);
    expect((await store.schedule.get(id))!.nextAt).toBe(Date.parse("2026-11-15T12:15:00Z"));
    await runDue(due(run, { now: () => Date.parse("2026-11-15T12:15:00Z") }), NEVER);
    expect(ran).toHaveLength(2);
  });

  it("gives each task to one of several processes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "zeph-schedule-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const stores = Array.from({ length: 4 }, () => openStore(join(folder, "store.db")));
    for (let n = 0; n < 40; n++) await add(`task ${n}`, NOW - n, null, stores[0]);
    const { ran, run } = runner();
    await Promise.all(stores.map(({ schedule }) => runDue(due(run, { schedule }), NEVER)));
    for (const one of stores) await one.close();
    expect(ran).toHaveLength(40);
    expect(new Set(ran).size).toBe(40);
  });

  it.each([
    ["says so", async (): Promise<TaskEnd> => ({ ok: false, text: "The model was away." })],
    ["throws", () => Promise.reject(new Error("The model was away."))],
  ])("a task that fails and %s is told and keeps its next time; the others go on", async (_, fail) => {
    const { id } = await add("broken", NOW - 2, "*/15 * * * *");
    await add("once", NOW - 1);
    const { ran, run } = runner();
    await runDue(
      due((task) => (task.task === "once" ? run(task) : fail())),
      NEVER,
    );
    expect(ran).toEqual(["once"]);
    expect(warnings).toEqual([
      expect.stringMatching(/^The scheduled task "broken" failed: The model was away\. Its next time is \w+ at \d\d:\d\d\.$/),
    ]);
    expect(await store.schedule.get(id)).toMatchObject({ nextAt: Date.parse("2026-11-15T12:15:00Z"), last: { ok: false, at: NOW } });
  });

  it("says that what runs once is not tried again", async () => {
    await add("once", NOW);
    await runDue(
      due(async () => ({ ok: false, text: "No." })),
      NEVER,
    );
    expect(warnings).toEqual(['The scheduled task "once" failed: No. It was to run once and is not tried again.']);
  });

  it("keeps how it ended, with the conversation", async () => {
    const { id: conversation } = await store.conversations.create(WORK, "t");
    const { id } = await add("task", NOW);
    const told: string[] = [];
    await runDue(
      due(async () => ({ ...OK, conversation }), {
        began: ({ task }) => void told.push(`began ${task}`),
        ended: ({ task }, { text }) => void told.push(`${task}: ${text}`),
      }),
      NEVER,
    );
    expect((await store.schedule.get(id))!.last).toEqual({ at: NOW, ok: true, conversation });
    expect(told).toEqual(["began task", "task: done"]);
  });

  it("a process that is killed in the middle leaves a task that did not end, and nobody does it again", async () => {
    const { id } = await add("half", NOW);
    let begun = () => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    void runDue(
      due(() => {
        begun();
        return new Promise(() => {});
      }),
      NEVER,
    );
    await running;
    const { ran, run } = runner();
    await runDue(due(run), NEVER);
    expect(ran).toEqual([]);
    expect(await store.schedule.get(id)).toMatchObject({ nextAt: null, last: { at: NOW, ok: false } });
  });

  it("takes nothing when no task could be run", async () => {
    const { id } = await add("waits", NOW);
    const ready = () => Promise.reject(new Error("There is no model."));
    await expect(runDue(due(runner().run, { ready }), NEVER)).rejects.toThrow("There is no model.");
    expect(await store.schedule.get(id)).toMatchObject({ nextAt: NOW, last: null });
  });

  it("does not ask for a model when nothing is due", async () => {
    await add("later", NOW + 1);
    const ready = vi.fn(async () => {});
    await runDue(due(runner().run, { ready }), NEVER);
    expect(ready).not.toHaveBeenCalled();
  });

  it("a cron line that cannot be read any more runs this once", async () => {
    const { id } = await add("odd", NOW, "not a line");
    const { ran, run } = runner();
    await runDue(due(run), NEVER);
    expect(ran).toEqual(["odd"]);
    expect(warnings).toEqual([expect.stringContaining('cannot be read any more, "not a line"')]);
    expect((await store.schedule.get(id))!.nextAt).toBeNull();
  });

  it("when it is stopped the rest waits", async () => {
    await add("first", NOW - 1);
    const { id } = await add("second", NOW);
    const stop = new AbortController();
    await runDue(
      due(async () => {
        stop.abort();
        return { ok: false, text: "Stopped." };
      }),
      stop.signal,
    );
    expect(warnings).toEqual([expect.stringContaining('"first" was stopped')]);
    expect((await store.schedule.get(id))!.nextAt).toBe(NOW);
  });
});

describe("watchSchedule", () => {
  const clock = { now: () => Date.now() };

  it("runs what is overdue at once, then each at its time, and ends when it is closed", async () => {
    await add("missed", Date.now() - 1000);
    const at = Date.now() + 150;
    await add("soon", at);
    const { ran, run } = runner();
    const watch = watchSchedule(due(run, clock), NEVER);
    await vi.waitFor(() => expect(ran).toEqual(["missed", "soon"]), { timeout: 25_000 });
    expect(Date.now()).toBeGreaterThanOrEqual(at);
    await watch.close();
    await add("too late", Date.now() - 1);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(ran).toHaveLength(2);
  });

  it("sees within a minute what another process added, and looks no more than once a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const looks = vi.fn(store.schedule.nextAt);
    const { ran, run } = runner();
    const watch = watchSchedule(due(run, { ...clock, schedule: { ...store.schedule, nextAt: looks } }), NEVER);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(looks.mock.calls.length).toBeLessThanOrEqual(2 * 11);
    await add("from outside", Date.now() + 1000);
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(ran).toEqual(["from outside"]), 25_000);
    await watch.close();
  });

  it("is not busy while what is due cannot be run, and tells of it once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    await add("waits", Date.now());
    const ready = vi.fn(() => Promise.reject(new Error("There is no model.")));
    const watch = watchSchedule(due(runner().run, { ...clock, ready }), NEVER);
    await vi.advanceTimersByTimeAsync(600_000);
    await watch.close();
    expect(ready.mock.calls.length).toBeLessThanOrEqual(11);
    expect(warnings).toEqual(["Scheduled tasks wait: There is no model."]);
  });

  it("never has two at once", async () => {
    for (let n = 0; n < 5; n++) await add(`task ${n}`, Date.now() + n * 20);
    const { ran, run, most } = runner();
    const watch = watchSchedule(due(run, clock), NEVER);
    await vi.waitFor(() => expect(ran).toHaveLength(5), { timeout: 25_000 });
    await watch.close();
    expect(most()).toBe(1);
  });

  it("stops what runs when it is closed, and waits for its end", async () => {
    await add("long", Date.now() - 1);
    let ended = false;
    let begun = () => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const run: Due["run"] = (_, signal) => {
      begun();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () =>
          setTimeout(() => {
            ended = true;
            resolve({ ok: false, text: "Stopped." });
          }, 50),
        ),
      );
    };
    const watch = watchSchedule(due(run, clock), NEVER);
    await running;
    await watch.close();
    expect(ended).toBe(true);
  });

  it("keeps no process alive", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const watch = watchSchedule(due(runner().run, clock), NEVER);
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBeLessThanOrEqual(before);
    await watch.close();
  });
});
