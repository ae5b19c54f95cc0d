import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { parseConfig } from "../src/config/load.ts";
import { createRuntime, defineTool } from "../src/index.ts";
import { schedulePart } from "../src/runtime/features/schedule.ts";
import { openStore } from "../src/store/open.ts";
import { calls, says, scripted } from "./e2e/scripted.ts";
import { box, ended, jsonLines } from "./e2e/zeph.ts";
import { workspace } from "./workspace.ts";

const WORK = "/work/here";
const FAR = `${new Date().getFullYear() + 2}-01-01 09:30`;
const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/** The part, a store to look into, and the tool through a door. */
async function part(limits: object = {}) {
  const store = openStore("memory");
  const place = workspace();
  const config = parseConfig({ agent: { schedule: limits } });
  const made = schedulePart({ store, workspace: WORK, config, redact: (text) => text.replaceAll("hunter2", "[secret]") });
  /** Stands for whatever lets a stranger's text in. */
  const stranger = defineTool({
    name: "stranger",
    description: "",
    effect: "reads",
    input: z.strictObject({}),
    touches: () => [],
    async run(_permit, { turn }) {
      turn.seen.untrusted = true;
      return { text: "" };
    },
  });
  const zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    config: { audit: { path: `${place.state}/audit.jsonl` } },
    // Under a name of its own: the runtime has one for its own store.
    toolsets: [{ id: "schedule", list: () => [...made.tools!.map((tool) => ({ ...tool, name: "later" })), stranger] }],
  });
  onTestFinished(async () => {
    await zeph.close();
    await store.close();
    place.remove();
  });
  const call = async (tool: string, args: object) => {
    const outcome = await zeph.call(tool, args, { conversationId: "c1" });
    return outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`;
  };
  return { call, schedule: store.schedule, status: made.status! };
}

describe("scheduler", () => {
  it("keeps a task, and says when it will run", async () => {
    const { call, schedule, status } = await part();
    expect(await status()).toEqual({ schedule: "nothing" });
    const text = await call("later", { task: "Water the plants with hunter2", when: "every day at 8" });
    const [task] = await schedule.list(WORK);
    expect(text).toMatch(
      new RegExp(
        `^Scheduled as ${task!.id.slice(0, 8)}\\. It runs (?:today|tomorrow) at 08:00 and then again by "0 8 \\* \\* \\*" \\(.+\\), if a zeph is running`,
      ),
    );
    expect(task).toMatchObject({
      task: "Water the plants with [secret]",
      when: "every day at 8",
      cron: "0 8 * * *",
      untrusted: false,
      bound: null,
      last: null,
    });
    expect(task!.nextAt).toBeGreaterThan(Date.now());
    expect((await status()).schedule).toMatch(/^1 task, next (?:today|tomorrow) at 08:00 "Water the plants with \[secret\]"$/);
    await call("later", { task: "Once", when: "in 1 minute" });
    expect((await status()).schedule).toMatch(/^2 tasks, next to\w+ at \d\d:\d\d "Once"$/);
  });

  it("remembers that a stranger may have asked for it", async () => {
    const { call, schedule } = await part();
    await call("later", { task: "before", when: "in 1 hour" });
    await call("stranger", {});
    await call("later", { task: "after", when: "in 2 hours" });
    expect((await schedule.list(WORK)).map(({ task, untrusted }) => [task, untrusted])).toEqual([
      ["before", false],
      ["after", true],
    ]);
  });

  it.each([
    ["0 0 30 2 *", 'invalid_parameters: "0 0 30 2 *" is no time that can be kept: the cron line 0 0 30 2 * never fires'],
    ["2020-01-01", "in the past"],
    ["whenever", '"whenever" was not understood'],
  ])("refuses %s with examples, and keeps nothing", async (when, why) => {
    const { call, schedule } = await part();
    const text = await call("later", { task: "x", when });
    expect(text).toContain(why);
    expect(text).toContain("Examples: in 20 minutes");
    expect(await schedule.list()).toEqual([]);
  });

  it.each([
    { task: "x".repeat(4001), when: "18:00" },
    { task: "", when: "18:00" },
    { task: "x", when: "" },
    { task: "x", when: "x".repeat(201) },
    { task: "x" },
  ])("refuses what does not fit its schema", async (args) => {
    expect(await (await part()).call("later", args)).toMatch(/^(?:invalid_parameters|type_mismatch): /);
  });

  it("takes nonsense for wrong arguments", async () => {
    const { call } = await part();
    for (const when of ["whenever", "2020-01-01", "99 99 * * *", "every 7 minutes", "* * *", "NaN", "1e999", "-5 minutes"])
      expect([when, await call("later", { task: "x", when })]).toEqual([when, expect.stringMatching(/^invalid_parameters: /)]);
    expect(await call("later", { task: "   ", when: "18:00" })).toMatch(/^invalid_parameters: /);
  });

  it("keeps no task of a model that comes again too soon, however that is written", async () => {
    const { call, schedule } = await part();
    for (const when of ["* * * * *", "*/4 * * * *", "every minute", "0,1 * * * *", "58,59 23 * * *", "0 * * * * *"])
      expect([when, await call("later", { task: "x", when })]).toEqual([when, expect.stringMatching(/^invalid_parameters: /)]);
    expect(await call("later", { task: "x", when: "* * * * *" })).toContain("agent.schedule.min_interval_secs");
    expect(await schedule.list()).toEqual([]);
    expect(await call("later", { task: "x", when: "*/5 * * * *" })).toContain("Scheduled as");
    const often = await part({ min_interval_secs: 60 });
    expect(await often.call("later", { task: "x", when: "* * * * *" })).toContain("Scheduled as");
  });

  it("keeps so many tasks of models in one session, also when they come side by side", async () => {
    const { call, schedule } = await part({ max_per_session: 3 });
    const said = await Promise.all(Array.from({ length: 6 }, (_, n) => call("later", { task: `task ${n}`, when: "tomorrow" })));
    expect(said.filter((text) => text.startsWith("Scheduled"))).toHaveLength(3);
    expect(said.filter((text) => /^policy_blocked: 3 tasks were scheduled.*max_per_session/.test(text))).toHaveLength(3);
    // What was not kept does not count.
    const other = await part({ max_per_session: 1 });
    await other.call("later", { task: "x", when: "whenever" });
    expect(await other.call("later", { task: "x", when: "tomorrow" })).toContain("Scheduled");
    expect(await schedule.list(WORK)).toHaveLength(3);
  });

  it("keeps a bounded number, of those that are over too", async () => {
    const { call, schedule } = await part({ max_per_session: 1000 });
    const over = { workspace: WORK, task: "old", when: "then", cron: null, nextAt: null, untrusted: false, bound: null };
    for (let n = 0; n < 150; n++) await schedule.add(over);
    for (let n = 0; n < 100; n++) await call("later", { task: `task ${n}`, when: "tomorrow" });
    expect(await call("later", { task: "one more", when: "tomorrow" })).toContain(
      "100 tasks are scheduled in this folder, which is the most",
    );
    const all = await schedule.list(WORK);
    expect(all.filter(({ nextAt }) => nextAt !== null)).toHaveLength(100);
    expect(all.filter(({ nextAt }) => nextAt === null)).toHaveLength(100);
  });
});

describe("zeph schedule", () => {
  it("adds, lists and removes", async () => {
    const here = box();
    expect(await here.run(["schedule"])).toMatchObject({
      code: 0,
      stdout: "Nothing is scheduled in this folder. --all lists what is in others.\n",
    });
    const added = await here.runProcess(["schedule", "add", "every weekday at 8", "Summarise", "git", `\u001b[31m with ${SECRET}`]);
    expect(added).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Scheduled as [0-9a-f]{8}\. It runs \w+ .*at 08:00 and then again by "0 8 \* \* 1,2,3,4,5"/),
    });
    const once = JSON.parse((await here.run(["schedule", "add", "--json", FAR, "Once"])).stdout);
    expect(once).toMatchObject({ task: "Once", when: FAR, cron: null, workspace: here.cwd, untrusted: false, last: null });
    const { stdout } = await here.run(["schedule", "list"]);
    expect(stdout).toMatch(
      /^[0-9a-f]{8} {2}\w.* at 08:00 {2}every weekday at 8\n {10}Summarise git \\u001b\[31m with .*\n[0-9a-f]{8} {2}\w+day \d{4}-01-01 at 09:30 {2}\d{4}-01-01 09:30\n {10}Once\n$/,
    );
    expect(stdout).not.toContain(SECRET);
    expect(jsonLines((await here.run(["schedule", "--json"])).stdout)[0]).toHaveLength(2);
    const store = openStore(join(here.env.XDG_STATE_HOME!, "zeph", "zeph.db"));
    await store.schedule.ended(once.id, { at: Date.now(), ok: false });
    await store.close();
    expect((await here.run(["schedule"])).stdout).toMatch(/ {10}Once\n {10}last: today at \d\d:\d\d, did not end\n$/);
    here.write("other/x", "");
    expect((await here.run(["--cwd", "other", "schedule", "--all"])).stdout).toContain(here.cwd);
    expect(await here.run(["schedule", "remove", once.id.slice(0, 6)])).toMatchObject({
      code: 0,
      stdout: `Removed: ${once.id.slice(0, 8)}  Once\n`,
    });
    expect(jsonLines((await here.run(["schedule", "--json"])).stdout)[0]).toHaveLength(1);
  });

  it.each([
    [["schedule", "ad", "x"], 'Did you mean "add"?'],
    [["schedule", "add"], "Say when and what"],
    [["schedule", "add", "18:00"], "Say when and what"],
    [["schedule", "add", "in", "20", "minutes", "x"], "Put a time of several words into quotes."],
    [["schedule", "add", "0 0 30 2 *", "x"], "never fires"],
    [["schedule", "add", "2020-01-01", "x"], "in the past"],
    [["schedule", "remove"], "Say which one"],
    [["schedule", "remove", "abc"], "Say which one"],
    [["schedule", "remove", "abcdef"], "There is no task abcdef"],
    [["schedule", "list", "x"], "one word too many"],
    [["schedule", "--once"], "--once goes with"],
  ])("exits 2 for wrong usage: %j", async (args, message) => {
    const { code, stdout, stderr } = await box().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  /** A task that is due as soon as somebody looks. */
  const dueTask = async (here: ReturnType<typeof box>, task: string) => {
    await here.run(["schedule", "add", "in 1 seconds", task]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  };

  it("run --once works off what is due, with nobody to ask, and ends", async () => {
    const here = scripted(box(), [[calls("write", { path: "a.txt", content: "x" })], [says("I may not write.")]]);
    expect(await here.run(["schedule", "run", "--once"])).toMatchObject({ code: 0, stdout: "" });
    await dueTask(here, "Write a file");
    const run = await here.runProcess(["schedule", "run", "--once"]);
    expect(run).toMatchObject({ code: 5, stdout: "" });
    expect(run.stderr).toContain("I may not write. (1 call was refused, because nobody could be asked or a rule forbids it)");
    expect(run.stderr).toMatch(/[0-9a-f]{8} {2}Write a file\n/);
    const { stdout } = await here.run(["schedule"]);
    expect(stdout).toMatch(
      /^[0-9a-f]{8} {2}over {2}in 1 seconds\n {10}Write a file\n {10}last: to\w+ at \d\d:\d\d, failed, conversation [\w-]{36}\n$/,
    );
    expect(JSON.parse((await here.run(["sessions", "--json"])).stdout)).toHaveLength(1);
    expect(await here.run(["schedule", "run", "--once"])).toMatchObject({ code: 0, stdout: "" });
  });

  it("run --json tells of it as JSON", async () => {
    const here = scripted(box(), [[says("Done.")]]);
    await dueTask(here, "Go");
    const { code, stdout } = await here.run(["schedule", "run", "--once", "--json"]);
    expect(code).toBe(0);
    const lines = jsonLines(stdout);
    expect(lines[0]).toMatchObject({ type: "scheduled_start", task: "Go", when: "in 1 seconds" });
    expect(lines.at(-1)).toMatchObject({ type: "scheduled_end", id: lines[0].id, ok: true, text: "Done." });
    expect(lines).toHaveLength(2);
  });

  it("takes nothing without a model, and says so", async () => {
    const here = box();
    here.config('[llm]\ndefault = "gone"\n');
    await dueTask(here, "Go");
    const { code, stderr } = await here.run(["schedule", "run", "--once"]);
    expect(code).toBe(7);
    expect(stderr).toContain("gone");
    expect((await here.run(["schedule", "run"])).code).toBe(7);
    expect(JSON.parse((await here.run(["schedule", "--json"])).stdout)).toMatchObject([{ last: null, next_at: expect.any(String) }]);
  });

  it("run stays until it is stopped, and sees what comes due meanwhile", async () => {
    const here = scripted(box(), [[says("Done.")]]);
    await here.run(["schedule", "add", "in 3 seconds", "Go"]);
    const child = here.start(["schedule", "run"]);
    const end = ended(child);
    await new Promise<void>((resolve) => child.stdout.on("data", (chunk) => String(chunk).includes("Done.") && resolve()));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).toBeNull();
    child.kill("SIGINT");
    expect(await end).toMatchObject({ code: 0, stderr: expect.stringContaining("Waiting for what is scheduled") });
  });
});
