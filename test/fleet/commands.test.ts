import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { type Box, box, ended, endWithTest, jsonLines } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";

/** A machine with a worker's configuration, and a model that reads its answers from a file. */
function machine(turns: Parameters<typeof scripted>[1], more = ""): Box {
  const here = scripted(box(), turns, `autonomy = "full"\n[fleet]\nlease_ms = 3000\npoll_ms = 200\nrepositories = ["file:///"]\n${more}`);
  const file = join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml");
  here.config(readFileSync(file, "utf8").replace('"turns.json"', JSON.stringify(join(here.cwd, "turns.json"))));
  here.env.ZEPH_STORE = url;
  here.env.XDG_DATA_HOME = join(here.root, "data");
  return here;
}

/** What the child has said so far. */
function heard(child: ChildProcessWithoutNullStreams): () => string {
  let text = "";
  child.stderr.on("data", (data) => {
    text += data;
  });
  child.stdout.on("data", (data) => {
    text += data;
  });
  return () => text;
}
const WRITES = [[calls("bash", { command: "echo by-the-model > made.txt && cat made.txt" })], [says("All done.")]];

describe.skipIf(!hasPostgres)("the commands of a fleet", () => {
  it("take a task from submit to its result on a worker, and tell about it", async () => {
    const here = machine(WRITES);
    const tenant = newTenant();
    const worker = here.start(["worker", "--tenant", tenant, "--name", "w1"]);
    const said = heard(worker);
    const mine = ["--tenant", tenant];
    const waited = await here.run(["submit", "Make a file", ...mine, "--wait"]);
    expect(waited).toMatchObject({ code: 0, stdout: "All done.\n" });
    const followed = await here.run(["submit", "-", ...mine, "--follow", "--json"], { input: "Make another\n" });
    expect(followed.code).toBe(0);
    const events = jsonLines(followed.stdout);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["tool_start", "tool_end", "text", "done"]));
    expect(events.at(-1)).toMatchObject({
      state: "done",
      text: "Make another\n",
      person: userInfo().username,
      result: { ok: true, text: "All done.", worker: "w1" },
    });
    expect(events.find(({ type }) => type === "tool_end")).toMatchObject({
      ok: true,
      text: expect.stringContaining("by-the-model"),
    });

    const put = await here.run(["submit", "Once", ...mine, "--key", "k", "--json"]);
    const again = await here.run(["submit", "Once", ...mine, "--key", "k", "--json"]);
    expect(JSON.parse(put.stdout).is_new).toBe(true);
    expect(JSON.parse(again.stdout)).toEqual({ ...JSON.parse(put.stdout), is_new: false });

    const workers = JSON.parse((await here.run(["fleet", "workers", "--json"])).stdout);
    expect(workers).toContainEqual(expect.objectContaining({ name: "w1", state: "ready", tenant, slots: 8 }));
    const id = JSON.parse(put.stdout).id;
    await expect.poll(async () => (await here.run(["fleet", "task", id.slice(0, 8), ...mine])).stdout).toContain("All done.");
    const listed = await here.run(["fleet", "tasks", ...mine, "--state", "done"]);
    expect(listed.stdout.split("\n").filter((line) => /^[0-9a-f-]{36} {2}done {7}\S/.test(line))).toHaveLength(3);
    expect((await here.run(["fleet", "status", ...mine])).stdout).toContain("3 done");

    worker.kill("SIGINT");
    expect((await ended(worker)).code).toBe(0);
    expect(said()).toContain("Worker w1 takes tasks of");
    expect(JSON.parse((await here.run(["fleet", "workers", "--json"])).stdout)).toContainEqual(
      expect.objectContaining({ name: "w1", state: "gone" }),
    );
  });

  it("serve programs: the example runs, and checks itself", async () => {
    const here = machine(WRITES);
    const tenant = newTenant();
    here.start(["worker", "--tenant", tenant, "--name", `w-${tenant}`]);
    const example = spawn(process.execPath, [resolve("examples/36-fleet.mjs")], { env: { ...here.env, ZEPH_TENANT: tenant } });
    endWithTest(example);
    expect(await ended(example)).toMatchObject({ code: 0, stdout: "tool_start\ndone\ndone All done.\n", stderr: "" });
  });

  it("say what is wrong with what was typed", async () => {
    const here = machine([]);
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["submit"], "Say what to do"],
      [["submit", "x", "--repo", "nonsense"], "it is an address"],
      [["submit", "x", "--repo", "https://kim:a-secret-word@host/app.git"], "Workers have keys of their own"],
      [["submit", "x", "--repo", "https://a-secret-word@host/app.git@main"], "Workers have keys of their own"],
      [["submit", "x", "--on-unknown", "maybe"], "it is tell or stop"],
      [["fleet", "token", "list", "--tenant", "No Such"], "A tenant is named"],
      [["store", "copy", url, "--from", "zeph.db", "--tenant", "No Such"], "A tenant is named"],
      [["fleet", "audit", "verify", "--root", "nonsense"], "nonsense is no root"],
      [["fleet", "audit", "verify", "--root", "turns.json"], "turns.json holds no root"],
      [["submit", "x", "--tenant", "No Such"], "A tenant is named"],
      [["submit", "x", "--store", "sqlite://x"], "postgres://user@host/database"],
      [["fleet", "task"], "Say which one"],
      [["fleet", "task", "zzz"], "is no id of a task"],
      [["fleet", "task", "00000000-0000-0000-0000-000000000000"], "There is no task"],
      [["fleet", "tasks", "--state", "asleep"], "it is one of queued"],
      [["fleet", "cancel"], "Say which"],
      [["fleet", "drain", "nobody"], "There is no worker nobody"],
      [["worker", "--slots", "0"], "--slots 0"],
      [["worker", "--tenant", "x", "--name", "no good"], "A worker is named"],
    ];
    for (const [args, words] of cases) {
      const ran = await here.run(args);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
      expect(ran.stderr).not.toContain("a-secret-word");
    }
    const { ZEPH_STORE: _store, ...env } = here.env;
    Object.assign(here.env, { ZEPH_STORE: "" });
    expect(env).not.toHaveProperty("ZEPH_STORE");
    expect(await here.run(["fleet", "status"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name the database that the fleet shares"),
    });
  });

  it("cancel a task in the middle of a command, and drain a worker so that another goes on", async () => {
    const here = machine([[calls("bash", { command: "echo begun >> ../../../../../ledger; sleep 600" })], [says("Never.")]]);
    const tenant = newTenant();
    const mine = ["--tenant", tenant];
    const worker = here.start(["worker", ...mine, "--name", "w-cancel"]);
    const put = JSON.parse((await here.run(["submit", "Wait long", ...mine, "--json"])).stdout);
    const state = async () => JSON.parse((await here.run(["fleet", "task", put.id, ...mine, "--json"])).stdout).state;
    await expect.poll(state).toBe("running");
    expect((await here.run(["fleet", "cancel", put.id.slice(0, 8), ...mine])).stdout).toContain("Cancelled: 1 task");
    await expect.poll(state).toBe("cancelled");

    const drained = here.start(["worker", ...mine, "--name", "w-drained", "--workspaces", join(here.root, "second")]);
    const isThere = async () => (await here.run(["fleet", "workers"])).stdout;
    await expect.poll(isThere).toMatch(/w-drained\s+ready/);
    expect((await here.run(["fleet", "drain", "w-drained"])).code).toBe(0);
    expect((await ended(drained)).code).toBe(0);
    worker.kill("SIGTERM");
    expect((await ended(worker)).code).toBe(0);
  });

  it("have a process for each tenant, which alone has that tenant's files and records", async () => {
    const here = machine(WRITES);
    const [one, two] = [newTenant(), newTenant()];
    const worker = here.start(["worker", "--name", "all", "--slots", "4"]);
    const said = heard(worker);
    for (const tenant of [one, two])
      expect(await here.run(["submit", "Make a file", "--tenant", tenant, "--session", "s", "--wait"])).toMatchObject({
        code: 0,
        stdout: "All done.\n",
      });
    const workers: { name: string; tenant: string | null; slots: number }[] = JSON.parse(
      (await here.run(["fleet", "workers", "--json"])).stdout,
    );
    expect(workers).toContainEqual(expect.objectContaining({ name: "all", tenant: null, slots: 0 }));
    for (const tenant of [one, two]) {
      expect(workers).toContainEqual(expect.objectContaining({ name: `all.${tenant}`, tenant }));
      const root = join(here.root, "data", "zeph-workspaces", tenant);
      expect(readFileSync(join(root, "sessions", "s", "made.txt"), "utf8")).toBe("by-the-model\n");
      const state = join(here.root, "data", "zeph-workspaces", ".state", tenant, "zeph");
      expect(readdirSync(state)).toEqual(expect.arrayContaining(["audit.jsonl", "zeph.db"]));
    }
    expect(existsSync(join(here.root, "state", "zeph", "audit.jsonl"))).toBe(false);
    worker.kill("SIGTERM");
    expect((await ended(worker)).code).toBe(0);
    expect(said()).toContain("takes tasks of all tenants");
    const left = JSON.parse((await here.run(["fleet", "workers", "--json"])).stdout).filter(({ name }: { name: string }) =>
      name.startsWith("all"),
    );
    expect(left.map(({ state }: { state: string }) => state)).toEqual(["gone", "gone", "gone"]);
  });

  it("leave no process behind: those of tenants end with a worker that is killed", async () => {
    const here = machine(WRITES);
    const tenant = newTenant();
    const worker = here.start(["worker", "--name", `k-${tenant}`]);
    expect((await here.run(["submit", "Make a file", "--tenant", tenant, "--wait"])).code).toBe(0);
    worker.kill("SIGKILL");
    const states = async () =>
      JSON.parse((await here.run(["fleet", "workers", "--json"])).stdout)
        .filter(({ name }: { name: string }) => name.startsWith(`k-${tenant}`.slice(0, 40)) && name.includes("."))
        .map(({ state }: { state: string }) => state);
    await expect.poll(states).toEqual(["gone"]);
  });
});
