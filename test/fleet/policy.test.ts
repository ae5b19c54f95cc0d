import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ZephEvent } from "../../src/core/event.ts";
import type { Bus } from "../../src/core/ports/fleet/session.ts";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { createPolicies, type PolicyBundle } from "../../src/fleet/govern/policies.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openRuntime } from "../../src/runtime/create.ts";
import { checkBundleFolder } from "../../src/runtime/fleet/policy-bundle.ts";
import { openSessionGovernance } from "../../src/runtime/fleet/session-govern.ts";
import type { OpenOptions } from "../../src/runtime/runtime.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const bundle = (config: string, files: Record<string, string> = {}): PolicyBundle => ({
  format: 1,
  files: { "config.toml": config, ...files },
});
const denies = (tool: string) => `[[tools.permissions.${tool}]]\npattern = "*"\naction = "deny"\n`;
const allows = (tool: string) => `[[tools.permissions.${tool}]]\npattern = "*"\naction = "allow"\n`;

/** Long enough that no beat comes by itself while a test runs. */
const NEVER_MS = 2_000_000;

describe.skipIf(!hasPostgres)("the policy of a tenant", () => {
  let url = "";
  const open: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(async () => {
    for (const one of open.reverse()) await one.close();
  });
  const connect = (tenant: string, role: "zeph_worker" | "zeph_gateway"): Pg => {
    const db = openPg({ url, tenant, role, max: 4 });
    open.push(db);
    return db;
  };
  const opened = <T extends { close(): Promise<void> }>(one: T): T => {
    open.push(one);
    return one;
  };
  const fleet = (bus: Bus | null = null) => {
    const tenant = newTenant();
    return { tenant, worker: connect(tenant, "zeph_worker"), policies: createPolicies(connect(tenant, "zeph_gateway"), bus) };
  };
  const govern = async (db: Pg, lease_ms = NEVER_MS, bus: Bus | null = null) => {
    const warned: string[] = [];
    const warn = (message: string) => void warned.push(message);
    return { ...opened(await openSessionGovernance({ db, bus, fleet: { lease_ms, approval_secs: 60 }, warn })), warned };
  };
  async function runtime(fleetSide: OpenOptions["fleet"], more: OpenOptions = {}) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "zeph-policy-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const work = join(folder, "work");
    mkdirSync(join(work, ".git"), { recursive: true });
    writeFileSync(join(work, "a.txt"), "hello\n");
    const user = join(folder, "config.toml");
    const audit = join(folder, "audit.jsonl");
    writeFileSync(user, `[audit]\npath = ${JSON.stringify(audit)}\n`);
    const events: ZephEvent[] = [];
    const inside = async (project = "") => {
      if (project !== "") {
        mkdirSync(dirname(join(work, ".zeph/x")), { recursive: true });
        writeFileSync(join(work, ".zeph/config.toml"), project);
      }
      const { zeph } = await openRuntime({
        cwd: work,
        config: user,
        store: join(folder, "zeph.db"),
        onEvent: (event) => void events.push(event),
        ...(fleetSide && { fleet: fleetSide }),
        ...more,
      });
      onTestFinished(() => zeph.close());
      return zeph;
    };
    const lines = () =>
      readFileSync(audit, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    return { inside, events, lines };
  }
  const read = { path: "a.txt" };

  it("has versions that only rise, also when several push at once, and each tenant its own", async () => {
    const { policies, tenant } = fleet();
    expect([await policies.newest(), await policies.get(), await policies.history()]).toEqual([0, null, []]);
    const versions = await Promise.all(Array.from({ length: 8 }, (_, n) => policies.push(bundle(`# ${n}`), "ann")));
    expect(versions.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await fleet().policies.newest()).toBe(0);
    expect((await policies.history(2)).map(({ version, by }) => [version, by])).toEqual([
      [8, "ann"],
      [7, "ann"],
    ]);
    await expect(connect(tenant, "zeph_gateway").run("update policies set bundle = '{}'")).rejects.toThrow("permission denied");
    await expect(connect(tenant, "zeph_gateway").run("delete from policies")).rejects.toThrow("permission denied");
  });

  it("goes back by a new version with an older bundle", async () => {
    const { policies } = fleet();
    await policies.push(bundle("# old"), "ann");
    await policies.push(bundle("# new"), "ann");
    expect(await policies.rollback(1, "bob")).toBe(3);
    expect(await policies.rollback(9, "bob")).toBeNull();
    expect(await policies.get()).toMatchObject({ version: 3, by: "bob", again: 1, files: { "config.toml": "# old" } });
    expect(await policies.get(2)).toMatchObject({ again: null, files: { "config.toml": "# new" } });
  });

  it("that is not what was pushed is not followed", async () => {
    const { policies, tenant, worker } = fleet();
    await policies.push(bundle(denies("read")), "ann");
    const owner = opened(openPg({ url, tenant, role: "zeph_owner", max: 1 }));
    await owner.run("update policies set bundle = replace(bundle, 'deny', 'allow') where tenant = ?", tenant);
    await expect(policies.get()).rejects.toThrow("its hash is another one");
    await expect(policies.rollback(1, "ann")).rejects.toThrow("its hash is another one");
    await expect(openSessionGovernance({ db: worker, bus: null, fleet: { lease_ms: 1000, approval_secs: 1 }, warn() {} })).rejects.toThrow(
      "hash",
    );
  });

  it.each(["PostgreSQL", "no bus"])("reaches an open runtime, and its audit lines carry the version: %s", async (kind) => {
    const bus = kind === "no bus" ? null : opened(await openBus({ db: { url } }));
    const { policies, worker } = fleet(bus);
    const governance = await govern(worker, kind === "no bus" ? 400 : NEVER_MS, bus);
    const { inside, lines, events } = await runtime({ policy: governance.policy });
    const zeph = await inside();
    expect((await zeph.call("read", read)).ok).toBe(true);
    expect(await policies.push(bundle(denies("read")), "ann")).toBe(1);
    await expect.poll(() => events.filter(({ type }) => type === "reload").length, { timeout: 25_000 }).toBe(1);
    expect(await zeph.call("read", read)).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    await policies.push(bundle(allows("write")), "ann");
    await expect.poll(() => events.filter(({ type }) => type === "reload").length, { timeout: 25_000 }).toBe(2);
    expect((await zeph.call("write", { path: "b.txt", content: "x" })).ok).toBe(true);
    expect(
      lines()
        .filter(({ kind: line }) => line !== "note")
        .map(({ kind: line, tool, policy_version }) => [line, tool, policy_version]),
    ).toEqual([
      ["call", "read", undefined],
      ["call", "read", 1],
      ["intent", "write", 2],
      ["call", "write", 2],
    ]);
    expect(lines().flatMap(({ note }) => note ?? [])).toEqual(
      expect.arrayContaining([expect.stringContaining("rules reloaded (policy 2)")]),
    );
  });

  it("that is wrong leaves the rules before, and the process is behind", async () => {
    const { policies, worker } = fleet();
    await policies.push(bundle(denies("read")), "ann");
    const governance = await govern(worker, 2000);
    const { inside } = await runtime({ policy: governance.policy });
    const zeph = await inside();
    expect(governance.mayTake()).toBe(true);
    await policies.push(bundle("[tools.sandbox]\nenabled = false\n"), "ann");
    await expect.poll(() => governance.mayTake(), { timeout: 25_000 }).toBe(false);
    expect(governance.policy.current()?.version).toBe(1);
    expect(governance.warned).toEqual([expect.stringContaining('"tools.sandbox.enabled" is no rule')]);
    expect((await zeph.call("read", read)).ok).toBe(false);
    await policies.push(bundle(allows("write")), "ann");
    await expect.poll(() => governance.mayTake(), { timeout: 25_000 }).toBe(true);
    expect((await zeph.call("read", read)).ok).toBe(true);
  });

  it("that fails with the rules of one runtime leaves that one as it was", async () => {
    const { policies, worker } = fleet();
    await policies.push(bundle(denies("read")), "ann");
    const governance = await govern(worker);
    const { inside, events, lines } = await runtime({ policy: governance.policy });
    const zeph = await inside();
    // The example holds for nobody: the rule itself is well formed.
    await policies.push(
      bundle('[tools.policy]\nenabled = true\n[[tools.policy.rules]]\neffect = "deny"\ntool = "bash"\nallow = ["ls"]\n'),
      "ann",
    );
    await governance.policy.look();
    await expect.poll(() => events.some((event) => event.type === "reload" && event.problem !== undefined), { timeout: 25_000 }).toBe(true);
    expect(await zeph.call("read", read)).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(lines().at(-1)).toMatchObject({ kind: "call", policy_version: 1 });
    await expect(inside()).rejects.toThrow('The example "ls" should be allowed');
  });

  it("is known to be old when no answer comes: such a process takes nothing new", async () => {
    const { worker } = fleet();
    const governance = await govern(worker, 2000);
    await expect.poll(() => governance.mayTake(), { timeout: 25_000 }).toBe(true);
    await governance.policy.close();
    await expect.poll(() => governance.mayTake(), { timeout: 25_000 }).toBe(false);
    expect(governance.policy.policyAge()).toBeGreaterThan(1000);
  });

  it("comes with a beat of the queue", async () => {
    const { policies, worker, tenant } = fleet();
    const governance = await govern(worker);
    await policies.push(bundle(denies("read")), "ann");
    const queue = opened(openWorkerQueue({ url }));
    await queue.register({ name: newTenant(), version: "0", slots: 1, labels: [], tenant, formats: [1], leaseMs: 60_000 });
    const { news } = await queue.beat([{ tenant, session: "s", epoch: 1 } as never]);
    expect(news).toEqual({ policy: { [tenant]: 1 } });
    governance.onBeat({ news });
    await expect.poll(() => governance.policy.current()?.version, { timeout: 25_000 }).toBe(1);
  });

  it("is narrowed by a project's file and never widened, unless the policy vouches for the repository", async () => {
    const { policies, worker } = fleet();
    const mine = `${allows("read")}${denies("grep")}[tools]\nmax_tool_calls_per_session = 2\n`;
    await policies.push(bundle(`${denies("read")}[fleet]\ntrusted_repos = ["https://git.example/ours/*"]\n`), "ann");
    const governance = await govern(worker);
    for (const repo of ["https://git.example/theirs/x", "https://git.example/ours/x"]) {
      const { inside } = await runtime({ policy: governance.policy, repo });
      const zeph = await inside(`${mine}[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n`);
      expect(await zeph.judge("read", read)).toMatchObject({ verdict: "deny" });
      expect(await zeph.judge("grep", { pattern: "x" })).toMatchObject({ verdict: "deny" });
      // The policy speaks of permissions, so a project adds no permission, trusted or not.
      expect(await zeph.judge("write", { path: "b", content: "" })).toMatchObject({ verdict: "ask" });
      expect(zeph.warnings.join("\n")).toContain(repo.includes("ours") ? "can only be tightened" : "the fleet's policy does not vouch");
    }
  });

  it("vouches for a repository: its file has its way where the policy is silent", async () => {
    const { policies, worker } = fleet();
    await policies.push(bundle('[fleet]\ntrusted_repos = ["https://git.example/ours/x.git"]\n'), "ann");
    const governance = await govern(worker);
    const verdicts = [];
    for (const repo of ["https://git.example/theirs/x", "https://git.example/ours/x"]) {
      const { inside } = await runtime({ policy: governance.policy, repo });
      const zeph = await inside(allows("write"));
      verdicts.push((await zeph.judge("write", { path: "b", content: "" })).verdict);
    }
    expect(verdicts).toEqual(["ask", "allow"]);
  });

  it("sets what each person may use, and the gate refuses more", async () => {
    const { policies, worker } = fleet();
    await policies.push(bundle("[fleet.quota]\ncalls_per_day = 2\n"), "ann");
    const governance = await govern(worker);
    const session = governance.open({ person: () => "ann" });
    const { inside } = await runtime(session.fleet);
    const zeph = await inside();
    const calls = await Promise.all(Array.from({ length: 6 }, () => zeph.call("read", read)));
    expect(calls.filter(({ ok }) => ok)).toHaveLength(2);
    expect(calls.find(({ ok }) => !ok)).toMatchObject({
      error: { message: expect.stringContaining("all 2 calls of ann for this day (UTC) are used") },
      decision: { gate: "quota", rule: "fleet.quota.calls_per_day = 2" },
    });
    await policies.push(bundle("[fleet.quota]\ncalls_per_day = 3\n"), "ann");
    await governance.policy.look();
    expect((await zeph.call("read", read)).ok).toBe(true);
    expect((await zeph.call("read", read)).ok).toBe(false);
    await session.close();
    expect(await worker.one("select used from quotas")).toEqual({ used: 3 });
  });
});

describe("a folder that is to be a policy", () => {
  const folder = (files: Record<string, string>) => {
    const at = realpathSync(mkdtempSync(join(tmpdir(), "zeph-bundle-")));
    onTestFinished(() => rmSync(at, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
    return at;
  };
  const rules = (example: string) => `[[rules]]\neffect = "deny"\ntool = "bash"\n${example}\n`;
  const config = '[tools.policy]\nenabled = true\ndefault_effect = "allow"\npolicy_file = "rules.toml"\n';

  it("is read with the files it names when its examples hold", async () => {
    const at = folder({ "config.toml": config, "rules.toml": rules('deny = ["rm -r x"]'), "other.txt": "not part of it" });
    expect(await checkBundleFolder(at, 1)).toEqual({
      bundle: { format: 1, files: { "config.toml": config, "rules.toml": rules('deny = ["rm -r x"]') } },
      examples: 1,
      warnings: [],
    });
  });

  it.each<[string, Record<string, string>]>([
    ['The example "ls" should be allowed', { "config.toml": config, "rules.toml": rules('allow = ["ls"]') }],
    ['The example "ls" should be allowed', { "config.toml": config.replace("true", "false"), "rules.toml": rules('allow = ["ls"]') }],
    ["there is none", {}],
    ["has to name a file in the folder", { "config.toml": config }],
    ["has to name a file in the folder", { "config.toml": '[tools.policy]\npolicy_file = "/etc/passwd"\n' }],
    ["has to name a file in the folder", { "config.toml": '[tools.policy]\npolicy_file = "../x.toml"\n' }],
    ["is no rule", { "config.toml": "[tools.shell]\ntimeout = 5\n" }],
    [
      "there is none of that name",
      { "config.toml": '[tools.policy]\nenabled = true\n[[tools.policy.rules]]\neffect = "deny"\ntool = "bsh"\n' },
    ],
  ])("is refused: %s", async (message, files) => {
    await expect(checkBundleFolder(folder(files), 1)).rejects.toThrow(message);
  });
});
