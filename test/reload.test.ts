import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../src/config/load.ts";
import { allSettings } from "../src/config/settings.ts";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { createRuntime, type RuntimeOptions, type Zeph, type ZephEvent } from "../src/index.ts";
import { openDesk } from "../src/runtime/create.ts";
import { changedKeys, isLive, type LiveConfig, mergeLive, type StartConfig } from "../src/runtime/rules/live-config.ts";
import { gateSettings } from "./gate-settings.ts";

// Events of a file system are waited for, however long they take.
type Reload = Extract<ZephEvent, { type: "reload" }>;

/** A workspace, a user's file and a project's, and a runtime that reads them. */
function rig() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-reload-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const work = join(root, "work");
  const user = join(root, "user", "config.toml");
  const project = join(work, ".zeph", "config.toml");
  const audit = join(root, "state", "audit.jsonl");
  const store = join(root, "state", "zeph.db");
  mkdirSync(join(work, ".git"), { recursive: true });
  writeFileSync(join(work, "a.txt"), "hello\n");
  const events: ZephEvent[] = [];
  const reloads = () => events.filter((event): event is Reload => event.type === "reload");
  let arrived = () => {};
  let taken = 0;
  const self = {
    root,
    work,
    user,
    project,
    events,
    reloads,
    rules: (toml: string) => replace(user, `[audit]\npath = ${JSON.stringify(audit)}\n${toml}\n`),
    async open(options: RuntimeOptions = {}): Promise<Zeph> {
      const zeph = await createRuntime({
        cwd: work,
        config: user,
        store,
        watch: true,
        onEvent(event) {
          events.push(event);
          arrived();
        },
        ...options,
      });
      onTestFinished(() => zeph.close());
      return zeph;
    },
    /** The next time rules were read again. */
    async next(): Promise<Reload> {
      while (reloads().length <= taken)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      return reloads()[taken++]!;
    },
    notes: (): string[] =>
      readFileSync(audit, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
        .filter(({ kind, note }) => kind === "note" && note.startsWith("rules "))
        .map(({ note }) => note),
    /** Vouches for the project's file as it is now. */
    async trust() {
      const desk = openDesk(work, { config: user, store });
      const { folder, hash } = desk.loaded.project!;
      await desk.trust.set(folder, hash);
      await desk.close();
    },
    audit,
  };
  self.rules("");
  return self;
}

/** Lets others go first, so often. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await null;
}

/** As editors do. */
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

const rule = (tool: string, pattern: string, action: string) =>
  `[[tools.permissions.${tool}]]\npattern = ${JSON.stringify(pattern)}\naction = ${JSON.stringify(action)}\n`;
/** A tool may be refused as often as it likes. */
const CALM = "[tools.anomaly]\nauto_block = false\n";
const verdict = async (zeph: Zeph, tool: string, args: object) => (await zeph.judge(tool, args)).verdict;

describe("what counts at once", () => {
  it("is every setting of every gate", async () => {
    const ofGates = await gateSettings();
    expect(ofGates.length).toBeGreaterThan(30);
    expect(ofGates.filter((key) => !isLive(key))).toEqual([]);
  });

  it("has a type of its own: settings of the start and settings in force cannot be mixed up", () => {
    const start: StartConfig = parseConfig({});
    const live = mergeLive(start, start);
    // @ts-expect-error the settings of the start are not those in force
    const one: LiveConfig = start;
    // @ts-expect-error the settings in force are not those of the start
    const two: StartConfig = live;
    expect([one, two]).toHaveLength(2);
  });

  it("is nothing that the host, the models or the stores are built from", () => {
    const heads = [
      "tools.sandbox",
      "tools.file",
      "tools.scrape",
      "llm",
      "hooks",
      "store",
      "audit",
      "skills",
      "tools.filters",
      "tools.retry",
    ];
    const built = allSettings().filter(({ key }) => heads.some((head) => key.startsWith(`${head}.`)));
    expect(built.length).toBeGreaterThan(30);
    // The proxy of commands asks for its two lists at each connection: nothing is built from them.
    expect(built.filter(({ key }) => isLive(key)).map(({ key }) => key)).toEqual([
      "tools.sandbox.allow_domains",
      "tools.sandbox.deny_domains",
    ]);
    expect(["tools.scope.enabled", "tools.scope.run_as_user", "tools.shell.timeout"].filter(isLive)).toEqual([]);
  });

  it("leaves everything else as it was at the start", () => {
    const first = parseConfig({ autonomy: "full", tools: { max_tool_calls_per_session: 3, sandbox: { allow_network: true } } });
    const read = parseConfig({ tools: { shell: { blocked_commands: ["curl"], timeout: 5 }, sandbox: { allow_network: false } } });
    const live = mergeLive(first, read);
    expect(live).toMatchObject({
      autonomy: "supervised",
      tools: { sandbox: { allow_network: true }, shell: { blocked_commands: ["curl"], timeout: first.tools.shell.timeout } },
    });
    expect(live.tools.max_tool_calls_per_session).toBeUndefined();
    expect(changedKeys(live, read)).toEqual(["tools.shell.timeout", "tools.sandbox.allow_network"]);
    expect(first.autonomy).toBe("full");
  });
});

describe("a file that changes", () => {
  it("has its rules count without a restart, while calls run", async () => {
    const here = rig();
    here.rules(CALM);
    const zeph = await here.open();
    const verdicts = new Set<string>();
    let isDone = false;
    const busy = (async () => {
      while (!isDone) {
        const { decision, ok } = await zeph.call("read", { path: "a.txt" });
        expect(ok).toBe(decision.verdict === "allow");
        verdicts.add(decision.verdict);
        await sleep(1);
      }
    })();
    await expect.poll(() => [...verdicts]).toEqual(["allow"]);
    here.rules(CALM + rule("read", "**/a.txt", "deny"));
    expect(await here.next()).toEqual({ type: "reload", changed: ["tools.permissions"], later: [] });
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { verdict: "deny", gate: "permissions" } });
    await expect.poll(() => [...verdicts]).toContain("deny");
    here.rules(CALM);
    await here.next();
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("allow");
    isDone = true;
    await busy;
    expect([...verdicts].sort()).toEqual(["allow", "deny"]);
    expect(here.notes()).toEqual([
      "rules reloaded (a file changed): tools.permissions",
      "rules reloaded (a file changed): tools.permissions",
    ]);
  });

  it("changes what is never run, how many calls there may be and how free a model is", async () => {
    const here = rig();
    const zeph = await here.open();
    replace(
      here.user,
      `autonomy = "readonly"\n[audit]\npath = ${JSON.stringify(here.audit)}\n[tools]\nmax_tool_calls_per_session = 1\n[tools.shell]\nblocked_commands = ["make"]\n`,
    );
    expect((await here.next()).changed).toEqual(["autonomy", "tools.max_tool_calls_per_session", "tools.shell.blocked_commands"]);
    expect((await zeph.judge("bash", { command: "make x" })).gate).toBe("blocklist");
    expect(zeph.tools().map(({ name }) => name)).not.toContain("write");
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { gate: "quota" } });
  });

  it("may be the project's, which is not there yet; it can only tighten", async () => {
    const here = rig();
    here.rules(rule("read", "*", "allow"));
    const zeph = await here.open();
    replace(here.project, rule("read", "**/a.txt", "deny") + rule("write", "*", "allow"));
    expect(await here.next()).toMatchObject({ changed: ["tools.permissions"] });
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("deny");
    expect(await verdict(zeph, "write", { path: "b.txt", content: "x" })).toBe("ask");
    const { message } = here.events.find((event) => event.type === "warning") as { message: string };
    expect(message).toContain('"tools.permissions.write" was ignored');
    // That a file is gone is no word of anybody's that its rules are to go.
    rmSync(here.project);
    expect((await here.next()).problem).toContain("is empty or gone");
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("deny");
    await zeph.governance.reload();
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("allow");
  });

  it("may be that of a folder above, up to the top of the repository", async () => {
    const here = rig();
    const sub = join(here.work, "a", "b");
    mkdirSync(sub, { recursive: true });
    writeFileSync(join(sub, "a.txt"), "hello\n");
    const zeph = await here.open({ cwd: sub });
    replace(join(here.work, "a", ".zeph", "config.toml"), rule("read", "**/a.txt", "deny"));
    await here.next();
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("deny");
    // The nearest one counts.
    replace(join(sub, ".zeph", "config.toml"), "");
    await here.next();
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("allow");
  });

  it("is no longer trusted when it is a project's: what it loosened is gone", async () => {
    const here = rig();
    replace(here.project, rule("write", "*", "allow"));
    await here.trust();
    const zeph = await here.open();
    const writing = () => verdict(zeph, "write", { path: "b.txt", content: "x" });
    expect(await writing()).toBe("allow");
    replace(here.project, rule("write", "*", "allow") + rule("read", "**/a.txt", "deny"));
    await here.next();
    expect(await writing()).toBe("ask");
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("deny");
    await here.trust();
    expect(await zeph.governance.reload()).toEqual({ changed: ["tools.permissions"], later: [] });
    expect(await writing()).toBe("allow");
  });

  it("is not spoken of when nothing in it is other than before", async () => {
    const here = rig();
    const zeph = await here.open();
    utimesSync(here.user, new Date(), new Date(Date.now() - 60_000));
    replace(here.user, `# A comment.\n${readFileSync(here.user, "utf8")}`);
    await sleep(1500);
    expect(here.reloads()).toEqual([]);
    expect(here.notes()).toEqual([]);
    expect(await zeph.governance.reload()).toEqual({ changed: [], later: [] });
    expect(here.reloads()).toEqual([{ type: "reload", changed: [], later: [] }]);
    expect(here.notes()).toEqual(["rules reloaded (asked for): nothing changed"]);
  });

  it("is read once when many changes come together", async () => {
    const here = rig();
    await here.open();
    for (let n = 0; n < 40; n++) here.rules(rule("read", `x${n}`, "deny"));
    await here.next();
    await sleep(1500);
    expect(here.reloads()).toHaveLength(1);
  });

  it("is not watched unless that is asked for, and not after the end", async () => {
    const here = rig();
    const one = await here.open({ watch: false });
    here.rules(rule("read", "*", "deny"));
    await sleep(500);
    expect(await verdict(one, "read", { path: "a.txt" })).toBe("allow");
    expect((await one.governance.reload()).changed).toEqual(["tools.permissions"]);
    expect(await verdict(one, "read", { path: "a.txt" })).toBe("deny");
    const two = await here.open();
    await two.close();
    here.rules("");
    await sleep(500);
    expect(here.reloads()).toHaveLength(1);
    expect((await two.governance.reload()).problem).toMatch(/closed|not open/);
  });
});

describe("what cannot be used", () => {
  it.each([
    ["TOML that is none", "[tools\n", /config\.toml:3:\d+: This is not valid TOML/],
    ["a setting that does not exist", "[tools]\nenabeld = false\n", /config\.toml:4:1: "tools\.enabeld" is not a setting/],
    ["a pattern that is none", rule("read", "[", "deny"), /config\.toml:4:1/],
  ])("leaves the rules before: %s", async (_what, toml, told) => {
    const here = rig();
    here.rules(rule("read", "**/a.txt", "deny"));
    const zeph = await here.open();
    here.rules(toml);
    const { changed, later, problem } = await here.next();
    expect({ changed, later }).toEqual({ changed: [], later: [] });
    expect(problem).toMatch(told);
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("deny");
    expect(here.notes()).toEqual([`rules not reloaded (a file changed): ${problem}; the old rules stay`]);
    // The same trouble is told again only when somebody wrote something.
    utimesSync(here.user, new Date(), new Date());
    await sleep(700);
    expect(here.reloads()).toHaveLength(1);
    replace(here.user, `${readFileSync(here.user, "utf8")}# more\n`);
    expect((await here.next()).problem).toMatch(told);
    expect((await zeph.governance.reload()).problem).toMatch(told);
    await here.next();
    // That it is over is news, whatever else is new.
    here.rules(rule("read", "**/a.txt", "deny"));
    expect(await here.next()).toEqual({ type: "reload", changed: [], later: [], mended: true });
    here.rules("");
    await here.next();
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("allow");
  });

  it("shows and records no secret that stands beside the mistake", async () => {
    const here = rig();
    await here.open();
    const secret = `ghp_${"Ab1".repeat(12)}`;
    here.rules(`# token = "${secret}"\n[tools\n`);
    const { problem } = await here.next();
    expect(problem).toContain("not valid TOML");
    expect(problem + readFileSync(here.audit, "utf8")).not.toContain(secret);
  });

  it("is what cannot be recorded", async () => {
    const here = rig();
    const zeph = await here.open({ watch: false });
    here.rules(rule("read", "*", "deny"));
    rmSync(here.audit);
    mkdirSync(here.audit);
    const { changed, problem } = await zeph.governance.reload();
    expect(changed).toEqual([]);
    expect(problem).toMatch(/^What cannot be recorded is not done\./);
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("allow");
    expect(here.reloads()).toEqual([{ type: "reload", changed: [], later: [], problem }]);
    rmSync(here.audit, { recursive: true });
    expect((await zeph.governance.reload()).changed).toEqual(["tools.permissions"]);
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("deny");
  });

  it("waits for the next start where it is no rule of a gate, and is named as long as it waits", async () => {
    const here = rig();
    const zeph = await here.open();
    here.rules('[tools.file]\ndeny_read = ["**/a.txt"]\n');
    expect(await here.next()).toEqual({ type: "reload", changed: [], later: ["tools.file.deny_read"] });
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    here.rules(`[tools.file]\ndeny_read = ["**/a.txt"]\n${rule("read", "**/b.txt", "deny")}`);
    expect(await here.next()).toEqual({ type: "reload", changed: ["tools.permissions"], later: ["tools.file.deny_read"] });
    expect(here.notes().at(-1)).toBe("rules reloaded (a file changed): tools.permissions; after the next start: tools.file.deny_read");
    here.rules(rule("read", "**/b.txt", "deny"));
    expect(await here.next()).toEqual({ type: "reload", changed: [], later: [] });
  });
});

describe("a file of rules that the configuration names", () => {
  const POLICY = `[tools.policy]\nenabled = true\ndefault_effect = "allow"\npolicy_file = "rules.toml"\n`;
  const deny = (tool: string, more = "") => `[[rules]]\neffect = "deny"\ntool = "${tool}"\n${more}`;

  it("is read again when it changes, and named", async () => {
    const here = rig();
    const file = join(dirname(here.user), "rules.toml");
    replace(file, deny("grep"));
    here.rules(POLICY);
    const zeph = await here.open();
    const reading = () => verdict(zeph, "read", { path: "a.txt" });
    expect(await reading()).toBe("allow");
    replace(file, deny("grep") + deny("read"));
    expect(await here.next()).toEqual({ type: "reload", changed: [file], later: [] });
    expect(await reading()).toBe("deny");
    expect(here.notes()).toEqual([`rules reloaded (a file changed): ${file}`]);
    replace(file, `# The same rules.\n${deny("grep")}${deny("read")}`);
    await sleep(700);
    expect(here.reloads()).toHaveLength(1);
    rmSync(file);
    expect((await here.next()).problem).toContain("rules.toml is empty or gone");
    expect(await reading()).toBe("deny");
    replace(file, deny("grep"));
    expect((await here.next()).changed).toEqual([file]);
    expect(await reading()).toBe("allow");
  });

  it("cannot be changed by a tool, nor can a project's file, as soon as it counts", async () => {
    const here = rig();
    const all = rule("write", "*", "allow") + rule("bash", "*", "allow");
    const file = join(here.work, "rules.toml");
    const named = `[tools.policy]\nenabled = true\ndefault_effect = "allow"\npolicy_file = ${JSON.stringify(file)}\n`;
    here.rules(all);
    const zeph = await here.open({ watch: false });
    const writing = async (path: string) => (await zeph.judge("write", { path, content: "" })).gate ?? "nobody";
    expect(await writing("rules.toml")).toBe("nobody");
    expect(await writing(".zeph/config.toml")).toBe("blocklist");
    replace(file, deny("grep"));
    here.rules(named + all);
    expect((await zeph.governance.reload()).problem).toBeUndefined();
    expect(await writing("rules.toml")).toBe("blocklist");
    expect((await zeph.judge("bash", { command: "echo > rules.toml" })).gate).toBe("blocklist");
    // Other files of the workspace are written as before, by a runtime that begins with it too.
    const next = await here.open({ watch: false });
    for (const one of [zeph, next]) expect(await verdict(one, "bash", { command: "echo > other.toml" })).not.toBe("deny");
  });

  it.each([
    ["a regular expression that is none", deny("read", 'args_match = "("\n'), /rules\.toml:4:1: .*regular expression/],
    ["a tool that does not exist", deny("raed"), /rules\.toml:3: .*"raed"/],
    ["an example that does not hold", deny("read", 'allow = ["a.txt"]\n'), /rules\.toml:4: .*example/],
  ])("leaves the rules before, and is mended: %s", async (_what, bad, told) => {
    const here = rig();
    const file = join(dirname(here.user), "rules.toml");
    const zeph = await here.open();
    const reading = () => verdict(zeph, "read", { path: "a.txt" });
    replace(file, bad);
    here.rules(POLICY);
    expect((await here.next()).problem).toMatch(told);
    expect(await reading()).toBe("allow");
    // It counts for nothing yet, and still it is watched.
    replace(file, deny("read"));
    expect((await here.next()).changed).toContain(file);
    expect(await reading()).toBe("deny");
    replace(file, bad);
    expect((await here.next()).problem).toMatch(told);
    expect(await reading()).toBe("deny");
  });
});

describe("an object", () => {
  it("takes the place of the one before, whole", async () => {
    const { work, audit } = rig();
    const config = { audit: { path: audit } };
    const zeph = await createRuntime({ cwd: work, store: "memory", config });
    onTestFinished(() => zeph.close());
    const reading = () => verdict(zeph, "read", { path: "a.txt" });
    const denied = { ...config, tools: { permissions: { read: [{ pattern: "*", action: "deny" }] } } };
    expect(await zeph.governance.reload(denied)).toEqual({ changed: ["tools.permissions"], later: [] });
    expect(await reading()).toBe("deny");
    expect(await zeph.governance.reload()).toEqual({ changed: [], later: [] });
    expect(await reading()).toBe("deny");
    expect((await zeph.governance.reload({ tools: { enabeld: true } })).problem).toContain('"tools.enabeld" is not a setting');
    expect(await reading()).toBe("deny");
    expect(await zeph.governance.reload({ tools: {} })).toEqual({ changed: ["tools.permissions"], later: ["audit.path"] });
    expect(await reading()).toBe("allow");
  });

  it("is not taken where files are read", async () => {
    const here = rig();
    const zeph = await here.open({ watch: false });
    expect((await zeph.governance.reload({ tools: { enabled: false } })).problem).toContain("from files");
    expect(await verdict(zeph, "read", { path: "a.txt" })).toBe("allow");
  });
});

describe("a call", () => {
  it("is judged by the old rules or by the new ones, never by some of both", async () => {
    const { work, audit } = rig();
    const always = (action: string) => [{ pattern: "*", action }];
    // Both refuse `tac`, one with the blocklist and the other with a gate. Half of each would let it in.
    const A = { permissions: { read: always("deny"), write: always("allow"), bash: always("deny") } };
    const B = {
      permissions: { read: always("allow"), write: always("deny"), bash: always("allow") },
      shell: { blocked_commands: ["tac"] },
    };
    const configOf = (tools: object) => ({ audit: { path: audit }, tools: { ...tools, sandbox: { fallback: "noop" } } });
    const zeph = await createRuntime({ cwd: work, store: "memory", config: configOf(A) as ConfigInput });
    onTestFinished(() => zeph.close());
    const spoke = new Map<string, number>();
    let flips = 0;
    const flip = async (after: number) => {
      await turns(after);
      expect((await zeph.governance.reload(configOf(flips++ % 2 === 0 ? B : A))).problem).toBeUndefined();
    };
    const judge = async (after: number) => {
      await turns(after);
      const { verdict, gate } = await zeph.judge("bash", { command: "tac a.txt" });
      expect(verdict).toBe("deny");
      spoke.set(gate!, (spoke.get(gate!) ?? 0) + 1);
    };
    for (let n = 0; n < 40; n++)
      await Promise.all([...Array.from({ length: 50 }, (_, at) => judge((at * 7 + n) % 60)), flip(n), flip(n + 13), flip(n + 31)]);
    expect([...spoke.keys()].sort()).toEqual(["blocklist", "permissions"]);
    expect([...spoke.values()].reduce((sum, count) => sum + count)).toBe(2000);
    for (const count of spoke.values()) expect(count).toBeGreaterThan(200);
  });

  it("is judged by the new rules when they came while a person thought about it", async () => {
    const here = rig();
    const zeph = await here.open({
      watch: false,
      async confirm() {
        here.rules(rule("write", "*", "deny"));
        expect((await zeph.governance.reload()).changed).toEqual(["tools.permissions"]);
        return "once" as const;
      },
    });
    expect(await zeph.call("write", { path: "b.txt", content: "x" })).toMatchObject({
      ok: false,
      decision: { verdict: "deny", gate: "permissions", rule: "write[0] deny *" },
    });
    expect(readdirSync(here.work)).not.toContain("b.txt");
  });

  it("is remembered: grants, counts and added commands outlast a reload", async () => {
    const here = rig();
    here.rules("[tools]\nmax_tool_calls_per_session = 5\n");
    let questions = 0;
    const zeph = await here.open({
      watch: false,
      confirm() {
        questions += 1;
        return "session";
      },
    });
    zeph.blockCommands(["tac"]);
    const write = () => zeph.call("write", { path: "b.txt", content: "x" });
    expect((await write()).ok).toBe(true);
    here.rules(`[tools]\nmax_tool_calls_per_session = 3\n[tools.shell]\nblocked_commands = ["rev"]\n`);
    expect((await zeph.governance.reload()).changed).toHaveLength(2);
    expect((await write()).ok).toBe(true);
    expect(questions).toBe(1);
    for (const command of ["tac a.txt", "rev a.txt"]) expect((await zeph.judge("bash", { command })).gate).toBe("blocklist");
    expect((await write()).ok).toBe(true);
    expect(await write()).toMatchObject({ ok: false, decision: { gate: "quota" } });
    const said = zeph.governance.gates().find(({ gate }) => gate === "quota");
    expect(said).toMatchObject({ passed: 3, denied: 1 });
    // Begun anew after a reload as before one.
    zeph.clear();
    expect((await write()).ok).toBe(true);
    expect(questions).toBe(2);
  });
});

it("goes on with a sequence of calls that began before", async () => {
  const { work, audit } = rig();
  const sequences = { trajectory_enabled: true, blocked_sequences: [["list_directory", "read"]] };
  const configOf = (tools: object) => ({ audit: { path: audit }, tools: { governance: sequences, ...tools } });
  const zeph = await createRuntime({ cwd: work, store: "memory", config: configOf({}) });
  onTestFinished(() => zeph.close());
  expect((await zeph.call("list_directory", { path: "." })).ok).toBe(true);
  expect((await zeph.governance.reload(configOf({ max_tool_calls_per_session: 9 }))).changed).toHaveLength(1);
  expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { gate: "sentinel" } });
});

it("reads one after the other, whoever asks, and the last one counts", async () => {
  const { work, audit } = rig();
  const zeph = await createRuntime({ cwd: work, store: "memory", config: { audit: { path: audit } } });
  onTestFinished(() => zeph.close());
  const quotas = Array.from({ length: 20 }, (_, n) => n + 1);
  const ends = await Promise.all(
    quotas.map((n) => zeph.governance.reload({ audit: { path: audit }, tools: { max_tool_calls_per_session: n } })),
  );
  expect(ends).toEqual(quotas.map(() => ({ changed: ["tools.max_tool_calls_per_session"], later: [] })));
  expect(zeph.governance.gates().find(({ gate }) => gate === "quota")?.state).toContain("20");
});
