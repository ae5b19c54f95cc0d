import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createTimelyFiles } from "../src/host/own/timely-files.ts";
import { createAgent, createExecHost, createRuntime, defineTool, type Outcome, type OwnHost, type RuntimeOptions } from "../src/index.ts";
import { createMemoryHost } from "../src/testing/memory-host.ts";
import { modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([]);
afterAll(() => place.remove());

let n = 0;
const audit = () => join(place.state, `host-${n}.jsonl`);
const allow = [{ pattern: "*", action: "allow" }] as const;
const TOOLS = ["read", "write", "edit", "list_directory", "create_directory", "delete_path", "move_path", "copy_path", "grep", "find_path"];
const ALLOWED = Object.fromEntries([...TOOLS, "bash", "search_code", "diagnostics"].map((tool) => [tool, allow]));
const open = async (host: OwnHost, options: Omit<RuntimeOptions, "config"> & { tools?: object } = {}) => {
  n += 1;
  const { tools = {}, ...rest } = options;
  const config = { audit: { path: audit() }, tools: { permissions: ALLOWED, ...tools } };
  const zeph = await createRuntime({ cwd: "/work", store: "memory", host, ...rest, config });
  onTestFinished(() => zeph.close());
  return zeph;
};
const told = (outcome: Outcome): string => (outcome.ok ? outcome.output.text : outcome.error.message);

describe("the file tools on a program's own machine", () => {
  it("read, write, edit, list, copy, move and remove there", async () => {
    const host = createMemoryHost({ files: { "/work/a.txt": "one\ntwo\n", "/work/src/b.ts": "b\n" } });
    const zeph = await open(host);
    expect(told(await zeph.call("read", { path: "a.txt" }))).toContain("two");
    expect((await zeph.call("write", { path: "new/c.txt", content: "c\n" })).ok).toBe(true);
    expect((await zeph.call("edit", { path: "a.txt", old_string: "one", new_string: "1" })).ok).toBe(true);
    expect(told(await zeph.call("list_directory", { path: "." }))).toBe("[dir] new\n[dir] src\n[file] a.txt");
    expect((await zeph.call("copy_path", { source: "a.txt", destination: "d.txt" })).ok).toBe(true);
    expect((await zeph.call("move_path", { source: "d.txt", destination: "src/d.txt" })).ok).toBe(true);
    expect((await zeph.call("delete_path", { path: "src/b.ts" })).ok).toBe(true);
    expect(host.contents()).toEqual({ "/work/a.txt": "1\ntwo\n", "/work/new/c.txt": "c\n", "/work/src/d.txt": "1\ntwo\n" });
    expect(told(await zeph.call("delete_path", { path: "src" }))).toContain("is not empty");
    expect(told(await zeph.call("read", { path: "none" }))).toContain("does not exist on memory");
  });

  it.each<[string, string, object]>([
    ["outside the workspace", "read", { path: "/etc/passwd" }],
    ["above it", "read", { path: "../etc/passwd" }],
    ["in the home there", "write", { path: "~/x", content: "" }],
    ["in a process", "read", { path: "/proc/self/environ" }],
    ["that nobody may read", "read", { path: "secrets/key" }],
    ["that nobody may read, in other letters", "read", { path: "Secrets/KEY" }],
    ["to copy that nobody may read", "copy_path", { source: "secrets/key", destination: "free" }],
    ["to move that nobody may read", "move_path", { source: "secrets/key", destination: "free" }],
  ])("refuse a path %s, by judge and by call", async (_where, tool, args) => {
    const files = { "/work/secrets/key": "k", "/etc/passwd": "root", "/work/a": "" };
    const zeph = await open(createMemoryHost({ files }), { tools: { file: { deny_read: ["secrets/**"] } } });
    expect(await zeph.judge(tool, args)).toMatchObject({ verdict: "deny", gate: "files" });
    expect(await zeph.callAny(tool, args)).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
  });

  it.each<[string, string, object]>([
    ["reads", "read", { path: "out" }],
    ["reads through a folder", "read", { path: "folder/passwd" }],
    ["writes", "write", { path: "out", content: "x" }],
    ["writes a new file through a folder", "write", { path: "folder/new", content: "x" }],
    ["edits", "edit", { path: "inner", old_string: "a", new_string: "b" }],
    ["removes through a folder", "delete_path", { path: "folder/passwd" }],
    ["lists", "list_directory", { path: "folder" }],
    ["copies", "copy_path", { source: "out", destination: "b" }],
    ["makes a folder", "create_directory", { path: "folder/x/y" }],
  ])("follow no link there: one that %s is refused, and says where it leads", async (_what, tool, args) => {
    const host = createMemoryHost({
      files: { "/work/a.txt": "a", "/etc/passwd": "root" },
      links: { "/work/out": "/etc/passwd", "/work/folder": "/etc", "/work/inner": "/work/a.txt" },
    });
    const zeph = await open(host);
    const outcome = await zeph.callAny(tool, args);
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: "policy_blocked", message: expect.stringMatching(/is really \/(etc|work)/) },
    });
    expect(host.contents()).toEqual({ "/work/a.txt": "a", "/etc/passwd": "root" });
  });

  it("wait for an answer of the machine no longer than a limit", async () => {
    const silent = { name: "silent", files: { ...createMemoryHost().files, read: () => new Promise<never>(() => {}) } };
    await expect(createTimelyFiles(silent, 20).read("/a")).rejects.toMatchObject({ category: "timeout" });
  });

  it("remove a link itself", async () => {
    const host = createMemoryHost({ files: { "/work/a.txt": "a" }, links: { "/work/link": "/work/a.txt" } });
    const zeph = await open(host);
    expect((await zeph.call("delete_path", { path: "link" })).ok).toBe(true);
    expect(await host.files.stat("/work/link")).toBeNull();
    expect(host.contents()).toEqual({ "/work/a.txt": "a" });
  });

  it("ask about files that something runs later, though a rule allows every write", async () => {
    const zeph = await open(createMemoryHost({ files: { "/work/a": "" } }));
    expect(await zeph.judge("write", { path: ".git/hooks/pre-commit", content: "" })).toMatchObject({
      verdict: "ask",
      gate: "permissions",
    });
  });
});

describe("no file of this machine is touched beside a program's own", () => {
  it("though the same paths lie here: not by tools, instructions, skills or searches", async () => {
    const here = realpathSync(mkdtempSync(join(tmpdir(), "zeph-here-")));
    onTestFinished(() => rmSync(here, { recursive: true, force: true }));
    writeFileSync(join(here, "a.txt"), "LOCAL\n");
    writeFileSync(join(here, "AGENTS.md"), "LOCAL instructions\n");
    mkdirSync(join(here, ".zeph/skills/s"), { recursive: true });
    writeFileSync(join(here, ".zeph/skills/s/SKILL.md"), "---\nname: s\ndescription: LOCAL skill\n---\nLOCAL\n");
    mkdirSync(join(here, "elsewhere"));
    symlinkSync(join(here, "elsewhere"), join(here, "there"));
    const before = readdirSync(here, { recursive: true }).sort();
    const host = createMemoryHost({ files: { [`${here}/a.txt`]: "REMOTE\n", [`${here}/there/b.txt`]: "REMOTE\n" } });
    const zeph = await open(host, { cwd: here });
    expect(told(await zeph.call("read", { path: "a.txt" }))).toContain("REMOTE");
    // A link here says nothing about a folder there.
    expect(told(await zeph.call("read", { path: "there/b.txt" }))).toContain("REMOTE");
    const calls: [string, object][] = [
      ["write", { path: "b.txt", content: "x" }],
      ["edit", { path: "a.txt", old_string: "REMOTE", new_string: "R" }],
      ["create_directory", { path: "d" }],
      ["list_directory", { path: "." }],
      ["copy_path", { source: "a.txt", destination: "e.txt" }],
      ["move_path", { source: "e.txt", destination: "f.txt" }],
      ["delete_path", { path: "f.txt" }],
      ["bash", { command: "cat a.txt; echo x > made" }],
      ["bash", { command: "cat a.txt", background: true }],
      ["grep", { pattern: "LOCAL" }],
      ["find_path", { path: ".", pattern: "*" }],
      ["search_code", { query: "LOCAL" }],
      ["diagnostics", {}],
    ];
    const outcomes: [string, Outcome][] = [];
    for (const [tool, args] of calls) outcomes.push([tool, await zeph.callAny(tool, args)]);
    outcomes.push(["dry run", await zeph.dryRun("cat a.txt")]);
    for (const [tool, outcome] of outcomes) expect(`${tool} ${told(outcome)}`).not.toContain("LOCAL");
    const refused = outcomes.slice(8).map(([tool, outcome]) => [tool, outcome.ok, /on memory\./.test(told(outcome))]);
    expect(refused).toEqual(["bash", "grep", "find_path", "search_code", "diagnostics", "dry run"].map((tool) => [tool, false, true]));
    expect(readdirSync(here, { recursive: true }).sort()).toEqual(before);
    expect(readFileSync(join(here, "a.txt"), "utf8")).toBe("LOCAL\n");

    const model = modelSaying([says("Hi.")]);
    const agent = await createAgent({ cwd: here, store: "memory", host, model, config: { audit: { path: `${audit()}l` } } });
    onTestFinished(() => agent.close());
    await agent.run("hello");
    expect(JSON.stringify(model.given)).not.toContain("LOCAL");
  });

  it.each<[string, object, string]>([
    ["files of configuration", { config: undefined }, "config as an object"],
    ["no workspace", { cwd: undefined }, "cwd, the workspace on that machine"],
    ["an editor", { editor: {} }, "no editor"],
    ["hooks", { config: { hooks: { pre_tool: [{ command: "true" }] } } }, "no hooks"],
    ["transactions", { config: { tools: { shell: { transactional: true } } } }, "no tools.shell.transactional"],
  ])("so %s are refused at the start", async (_what, options, says) => {
    const host = createMemoryHost({ files: { "/work/a": "" } });
    const all = { cwd: "/work", store: "memory", config: { audit: { path: audit() } }, host, ...options } as RuntimeOptions;
    await expect(createRuntime(all)).rejects.toThrow(says);
  });

  it("and no server that is a program is started here", async () => {
    const marker = join(place.state, "started");
    const zeph = await createRuntime({
      cwd: "/work",
      store: "memory",
      host: createMemoryHost({ files: { "/work/a": "" } }),
      config: { audit: { path: audit() }, mcp: { servers: [{ name: "files", command: "sh", args: ["-c", `touch ${marker}`] }] } },
    });
    onTestFinished(() => zeph.close());
    expect(zeph.mcp.states()).toMatchObject([{ why: expect.stringContaining("would run on this machine") }]);
    expect(existsSync(marker)).toBe(false);
  });

  it("and a workspace that is not there, or a host that lacks something, is refused at the start", async () => {
    await expect(open(createMemoryHost(), { cwd: "/work" })).rejects.toThrow("There is no folder /work on memory");
    const { realPath: _realPath, ...files } = createMemoryHost().files;
    await expect(open({ ...createMemoryHost(), files } as unknown as OwnHost)).rejects.toThrow("no function files.realPath");
    await expect(open({ ...createMemoryHost(), walls: undefined } as unknown as OwnHost)).rejects.toThrow("The host's walls are null");
  });
});

describe("commands on a program's own machine", () => {
  const echoing = createMemoryHost({
    files: { "/work/a": "" },
    async run(argv, { cwd, output }) {
      output(Buffer.from(`${argv.join(" ")} in ${cwd}`), "stdout");
      return 3;
    },
  });

  it("run there, and results and the log name their walls", async () => {
    const zeph = await open(echoing);
    const outcome = await zeph.call("bash", { command: "make test" });
    expect(outcome.output).toMatchObject({ text: expect.stringContaining("bash -c make test in /work"), exitCode: 3 });
    expect(outcome.output?.walls).toEqual({ backend: "host", layers: ["memory: nothing but this process"], network: "closed" });
    const [line] = readFileSync(audit(), "utf8").trim().split("\n").slice(-1);
    expect(JSON.parse(line!)).toMatchObject({ sandbox: "host (memory: nothing but this process), network closed" });
    expect(await zeph.reach()).toBeNull();
  });

  it("are asked about where no walls are named, whatever a rule allows, and refused by the host itself", async () => {
    const zeph = await open({ ...echoing, walls: null });
    expect(await zeph.call("bash", { command: "make" })).toMatchObject({
      ok: false,
      error: { category: "confirmation_required" },
      decision: { gate: "walls" },
    });
    const sly = defineTool({
      name: "sly",
      description: "Runs something, and does not say so.",
      effect: "unknown",
      input: z.strictObject({}),
      touches: () => [],
      run: async (permit, { host, ...ctx }) => ({ text: (await host.shell.run(permit, "make", ctx)).text }),
    });
    const slyly = await open({ ...echoing, walls: null }, { toolsets: [{ id: "mine", list: () => [sly] }], confirm: () => "once" });
    expect(await slyly.call(sly, {})).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    const asked = await open({ ...echoing, walls: null }, { confirm: () => "once" });
    expect((await asked.call("bash", { command: "make" })).output?.walls).toMatchObject({ backend: "none" });
  });

  it.each<[string, Partial<OwnHost>, object]>([
    ["what they write is obeyed outside", { walls: { name: "shared folder", network: "closed", contained: false } }, {}],
    ["files are hidden that these walls cannot hide", {}, { file: { deny_read: ["secrets/**"] } }],
  ])("are asked about where %s", async (_why, more, tools) => {
    const zeph = await open({ ...echoing, ...more }, { tools });
    expect(await zeph.judge("bash", { command: "make" })).toMatchObject({ verdict: "ask", rule: "walls cannot hold it" });
  });

  it("end in time, and when they are cancelled, though the machine does not listen", async () => {
    const zeph = await open({ ...echoing, run: () => new Promise(() => {}) }, { tools: { shell: { timeout: 0.2, max_timeout: 0.2 } } });
    expect(await zeph.call("bash", { command: "sleep 9" })).toMatchObject({ ok: false, error: { category: "timeout" } });
    const stop = new AbortController();
    const call = zeph.call("bash", { command: "sleep 9" }, { signal: stop.signal });
    stop.abort();
    expect(await call).toMatchObject({ ok: false, error: { category: "cancelled" } });
  });

  it("that name a file nobody may read are refused, whether it is there or not", async () => {
    const zeph = await open(echoing, { tools: { file: { deny_read: ["secrets/**"] } } });
    expect(await zeph.judge("bash", { command: "cat secrets/key" })).toMatchObject({ verdict: "deny", gate: "files" });
  });

  it("are still read by the blocklist", async () => {
    const zeph = await open(echoing, { tools: { shell: { blocked_commands: ["curl"] } } });
    expect((await zeph.judge("bash", { command: "curl x" })).gate).toBe("blocklist");
  });
});

describe("a host out of one function that runs programs", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-exec-")));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  /** Stands for `docker exec`: the programs are real, and run here. */
  const host = createExecHost({
    name: "docker build-1",
    home: "/root",
    walls: { name: "container", network: "closed", contained: true },
    exec: ([program, ...args], { stdin, signal, output }) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, { signal });
        child.on("error", reject);
        child.stdout.on("data", (chunk) => output(chunk, "stdout"));
        child.stderr.on("data", (chunk) => output(chunk, "stderr"));
        child.on("close", (code) => resolve(code ?? 137));
        child.stdin.end(stdin);
      }),
  });

  it("has files with any name and content", async () => {
    const odd = join(root, "a b\n'$(x)\".txt");
    await host.files.write(odd, Buffer.from("ü\0\n"));
    expect(Buffer.from(await host.files.read(odd)).toString()).toBe("ü\0\n");
    expect(await host.files.stat(odd)).toEqual({ kind: "file", size: 4 });
    expect(await host.files.list(root)).toEqual([{ kind: "file", name: "a b\n'$(x)\".txt" }]);
    expect(await host.files.realPath(odd)).toBe(odd);
    await host.files.remove(odd);
    expect([await host.files.stat(odd), await host.files.realPath(odd)]).toEqual([null, null]);
    await expect(host.files.read(odd)).rejects.toThrow("does not exist on docker build-1");
  });

  it("looks links up there, removes them and not what they lead to, and keeps what is in a folder", async () => {
    mkdirSync(join(root, "d/.hidden"), { recursive: true });
    writeFileSync(join(root, "d/f"), "f", { mode: 0o755 });
    symlinkSync("d", join(root, "link"));
    expect(await host.files.realPath(join(root, "link/f"))).toBe(join(root, "d/f"));
    expect(await host.files.stat(join(root, "link"))).toEqual({ kind: "symlink" });
    expect((await host.files.list(join(root, "d"))).map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([".hidden dir", "f file"]);
    await host.files.remove(join(root, "link"));
    expect([existsSync(join(root, "link")), existsSync(join(root, "d/f"))]).toEqual([false, true]);
    await expect(host.files.remove(join(root, "d"))).rejects.toThrow("docker build-1");
    await host.files.write(join(root, "d/f"), Buffer.from("g"));
    expect(await host.run(["sh", "-c", "test -x f"], { cwd: join(root, "d"), signal: new AbortController().signal, output() {} })).toBe(0);
  });

  it("serves a runtime", async () => {
    writeFileSync(join(root, "a.txt"), "from there\n");
    symlinkSync("/etc/passwd", join(root, "out"));
    const zeph = await open(host, { cwd: root });
    expect(told(await zeph.call("read", { path: "a.txt" }))).toContain("from there");
    expect(told(await zeph.call("bash", { command: "cat a.txt" }))).toContain("from there");
    expect((await zeph.call("read", { path: "out" })).ok).toBe(false);
  });
});
