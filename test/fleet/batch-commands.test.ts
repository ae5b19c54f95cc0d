import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended, jsonLines } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";
const FLEET = "[fleet]\nlease_ms = 3000\npoll_ms = 100\n";

function machine(more = "", turns: Parameters<typeof scripted>[1] = [[says("Looked at it.")]]): Box {
  const here = scripted(box(), turns, `autonomy = "full"\n${FLEET}${more}`);
  here.env.ZEPH_STORE = url;
  return here;
}
const file = (here: Box, lines: readonly (object | string)[]): string => {
  const path = join(here.cwd, "tasks.jsonl");
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
};

describe.skipIf(!hasPostgres)("zeph submit --file", () => {
  it("puts in a file once, with its limit, and says how many lines were new", async () => {
    const here = machine();
    const tenant = newTenant();
    const lines = [{ text: "a" }, "", { text: "b", key: "own", max_attempts: 1 }, { text: "c" }];
    const typed = [
      "submit",
      "--tenant",
      tenant,
      "--file",
      file(here, lines),
      "--batch",
      "spring",
      "--limit",
      "p=40",
      "--limit",
      "p=600/min",
    ];
    expect(await here.run(typed)).toMatchObject({ code: 0, stdout: "3 lines: 3 new.\n", stderr: "" });
    file(here, [...lines, { text: "d" }]);
    expect(await here.run(typed)).toMatchObject({ code: 0, stdout: "4 lines: 1 new, 3 were there already.\n" });
    expect(JSON.parse((await here.run([...typed, "--json"])).stdout)).toEqual({ batch: "spring", lines: 4, new: 0, known: 4 });

    const db = openPg({ url, tenant, role: "zeph_gateway" });
    onTestFinished(() => db.close());
    const tasks = await createTaskQueue(db).list({ batch: "spring" });
    expect(tasks.map(({ payload, limit, maxAttempts }) => [payload.text, limit, maxAttempts]).reverse()).toEqual([
      ["a", "p", 3],
      ["b", "p", 1],
      ["c", "p", 3],
      ["d", "p", 3],
    ]);
    expect(new Set(tasks.map(({ payload }) => payload.person))).toEqual(new Set([userInfo().username]));
    expect(await db.all("select key, max_running from limits")).toEqual([{ key: "p", max_running: 40 }]);
    expect(await db.all("select key, per_minute from buckets")).toEqual([{ key: "p", per_minute: 600 }]);
  });

  it("tries lines again that failed or were cancelled, and none that is done or unknown", async () => {
    const here = machine();
    const tenant = newTenant();
    const path = file(
      here,
      ["a", "b", "c", "d"].map((text) => ({ text, key: `key-${text}`, session: "s" })),
    );
    const typed = ["submit", "--tenant", tenant, "--file", path, "--batch", "spring"];
    await here.run(typed);
    const db = openPg({ url, tenant, role: "zeph_gateway" });
    const workers = openWorkerQueue({ url });
    onTestFinished(async () => {
      await workers.close();
      await db.close();
    });
    await workers.register({ name: `w-${tenant}`, version: "1", slots: 1, labels: [], tenant, formats: [1], leaseMs: 60_000 });
    const queue = createTaskQueue(db);
    const states = async () => (await queue.results("spring")).results.map(({ state }) => state);
    const take = async () => (await workers.take(1, []))[0]!;
    const result = { ok: false, text: "No.", unknown: 0, worker: "w" };
    const failed = await take();
    await workers.intent(failed, "c1", "writes");
    await workers.done(failed, "c1", "well");
    expect(await workers.finish(failed, "failed", result)).toBe(true);
    expect(await workers.finish(await take(), "done", result)).toBe(true);
    await queue.cancel({ id: (await queue.list({ state: "queued" })).find(({ key }) => key === "key-c")!.id }, "enough");
    const stopped = await take();
    await db.run("update tasks set on_unknown = 'stop' where id = ?", stopped.id);
    await workers.intent(stopped, "c1", "writes");
    expect(await workers.giveBack(stopped)).toBe("unknown");
    expect(await states()).toEqual(["failed", "done", "cancelled", "unknown"]);

    expect((await here.run(typed)).stdout).toBe("4 lines: 0 new, 4 were there already.\n");
    expect(await states()).toEqual(["failed", "done", "cancelled", "unknown"]);
    expect((await here.run([...typed, "--retry-failed"])).stdout).toBe("4 lines: 0 new, 4 were there already, 2 of them tried again.\n");
    expect(await states()).toEqual(["queued", "done", "queued", "unknown"]);
    expect(JSON.parse((await here.run([...typed, "--retry-failed", "--json"])).stdout)).toMatchObject({ known: 4, again: 0 });
    // In the order of the session, one at a time, with what was known before.
    expect(await db.all("select key, waits from tasks where state = 'queued' order by n")).toEqual([
      { key: "key-a", waits: false },
      { key: "key-c", waits: true },
    ]);
    const again = await take();
    expect(again).toMatchObject({ key: "key-a", attempt: 1, cancel: null, result: null });
    expect([...(await workers.journal(again)).keys()]).toEqual(["c1"]);
    expect(await workers.take(1, [again])).toEqual([]);
    expect(await workers.finish(failed, "failed", result)).toBe(false);
    expect(await workers.finish(again, "done", result)).toBe(true);
    expect(await take()).toMatchObject({ key: "key-c", cancel: null });
    expect(await here.run(["submit", "x", "--retry-failed"])).toMatchObject({ code: 2, stderr: expect.stringContaining("file of tasks") });
  });

  it("names the lines that are wrong, and submits nothing then", async () => {
    const here = machine();
    const tenant = newTenant();
    const path = file(here, [{ text: "a" }, { txt: "b" }, "no json", { text: "c", repo: "nonsense" }]);
    const given = await here.run(["submit", "--tenant", tenant, "--file", path, "--batch", "spring"]);
    expect(given.code).toBe(2);
    expect(given.stderr).toContain('tasks.jsonl, line 2: "txt" is no field of a task. Did you mean "text"?');
    expect(given.stderr).toContain("tasks.jsonl, line 3: it is no JSON");
    expect(given.stderr).toContain('tasks.jsonl, line 4: "repo": it is an address');
    expect(given.stderr).toContain("Nothing was submitted.");
    const db = openPg({ url, tenant, role: "zeph_gateway" });
    onTestFinished(() => db.close());
    expect(await createTaskQueue(db).list()).toEqual([]);
  });

  it("reads stdin as it comes, and says how far it came when a line is wrong", async () => {
    const here = machine();
    const typed = ["submit", "--tenant", newTenant(), "--file", "-", "--batch", "spring"];
    expect(await here.run(typed, { input: '{"text": "a"}\n{"text": "b"}\n' })).toMatchObject({ code: 0, stdout: "2 lines: 2 new.\n" });
    const wrong = await here.run(typed, { input: '{"text": "a"}\n{"text": 3}\n' });
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("stdin, line 2:");
  });

  it.each([
    [["--file", "tasks.jsonl"], "A file of tasks is a batch"],
    [["--file", "nowhere.jsonl", "--batch", "b"], "there is no such file"],
    [["--file", "tasks.jsonl", "--batch", "b", "more words"], "--file holds the tasks"],
    [["--file", "tasks.jsonl", "--batch", "b", "--session", "s"], "--session is for one task"],
    [["--file", "tasks.jsonl", "--batch", "b", "--limit", "p"], "write anthropic=40"],
    [["--file", "tasks.jsonl", "--batch", "b", "--limit", "p=0"], "from 1 to"],
  ])("%j is refused with words", async (words, message) => {
    const here = machine();
    file(here, [{ text: "a" }]);
    const { code, stderr } = await here.run(["submit", ...words]);
    expect({ code, told: stderr.includes(message) ? message : stderr }).toEqual({ code: 2, told: message });
  });

  it("waits while too many tasks wait, says so, and can be stopped", async () => {
    const here = machine("max_queued = 5\n");
    const tenant = newTenant();
    const path = file(
      here,
      Array.from({ length: 20 }, (_, n) => ({ text: `t${n}` })),
    );
    const child = here.start(["submit", "--tenant", tenant, "--file", path, "--batch", "spring"]);
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
    });
    await expect.poll(() => said).toContain("5 tasks of");
    child.kill("SIGINT");
    const { code, stdout } = await ended(child);
    expect({ code, stdout }).toEqual({ code: 130, stdout: "5 lines: 5 new.\n" });
    expect(said).toContain("The same command goes on with the rest.");
  });
});

describe.skipIf(!hasPostgres)("zeph fleet results", () => {
  it("tells what came of a batch in the order of its lines, and by its exit code", async () => {
    const here = machine();
    const tenant = newTenant();
    const mine = ["--tenant", tenant];
    const path = file(
      here,
      ["a", "b", "c", "d"].map((text) => ({ text, key: `key-${text}` })),
    );
    await here.run(["submit", ...mine, "--file", path, "--batch", "spring"]);
    const early = await here.run(["fleet", "results", "spring", ...mine, "--jsonl"]);
    expect(early).toMatchObject({ code: 4, stderr: "4 queued\n" });
    expect(jsonLines(early.stdout).map(({ key, state, ok }) => [key, state, ok])).toEqual(
      ["a", "b", "c", "d"].map((text) => [`key-${text}`, "queued", null]),
    );

    const worker = here.start(["worker", ...mine, "--name", `w-${tenant}`]);
    const waited = await here.run(["submit", ...mine, "--file", path, "--batch", "spring", "--wait"]);
    expect(waited).toMatchObject({ code: 0, stdout: "4 lines: 0 new, 4 were there already.\n4 done\n" });
    worker.kill("SIGTERM");
    await ended(worker);

    const shown = await here.run(["fleet", "results", "spring", ...mine]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^key-a +done +Looked at it\.\nkey-b +done +Looked/);
    const [first] = jsonLines((await here.run(["fleet", "results", "spring", ...mine, "--jsonl", "--limit", "1"])).stdout);
    expect(first).toMatchObject({ key: "key-a", state: "done", ok: true, text: "Looked at it.", unknown: 0, attempt: 1 });

    file(here, [{ text: "e" }]);
    await here.run(["submit", ...mine, "--file", path, "--batch", "spring"]);
    await here.run(["fleet", "cancel", "--batch", "spring", ...mine]);
    const failed = await here.run(["fleet", "results", "spring", ...mine, "--state", "cancelled", "--jsonl"]);
    expect(failed).toMatchObject({ code: 5, stderr: "4 done, 1 cancelled\n" });
    expect(jsonLines(failed.stdout).map(({ state }) => state)).toEqual(["cancelled"]);
    expect(JSON.parse((await here.run(["fleet", "results", "spring", ...mine, "--json"])).stdout)).toMatchObject({
      tasks: { done: 4, cancelled: 1 },
    });
    expect(await here.run(["fleet", "results", "autumn", ...mine])).toMatchObject({ code: 2 });
  });
});
