import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Editor, TerminalUnavailable } from "../../src/core/ports/editor.ts";
import type { Outcome, Zeph } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";
import { type FakeOptions, fakeTerminal } from "./editor-fake.ts";
import { available, has, isRoot, PYTHON } from "./support.ts";
import { running } from "./targets.ts";

const SECRET = "CANARY-EDITOR";
let place: Workspace;
let server: Server;
const opened: Zeph[] = [];

beforeAll(async () => {
  place = workspace([
    { op: "file", path: "work/a.txt", content: "a\n" },
    { op: "file", path: "outside/secret", content: "CANARY-OUTSIDE\n" },
  ]);
  server = createServer((socket) => socket.on("error", () => {}).end("CANARY-NET\n"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  await Promise.all(opened.map((zeph) => zeph.close()));
  server.close();
  place.remove();
});

async function open(editor: Editor, tools: object = {}): Promise<Zeph> {
  const config = { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: { bash: ALLOW }, ...tools } };
  const zeph = await place.runtime({ config, editor });
  opened.push(zeph);
  return zeph;
}
const ALLOW = [{ pattern: "*", action: "allow" }];
const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const leftBehind = () => readdirSync(place.state, { recursive: true }).filter((name) => String(name).includes("terminal-"));

async function lent(options: FakeOptions = {}, tools: object = {}) {
  const terminal = fakeTerminal({ env: { EDITOR_TOKEN: SECRET }, ...options });
  const zeph = await open({ terminal }, tools);
  const bash = (command: string, more: object = {}) => zeph.call("bash", { command }, more);
  return { terminal, zeph, bash };
}

describe.runIf(available)("a command in the editor's terminal", () => {
  test("is the sandbox's command line, and prints what it prints", async () => {
    const { terminal, bash } = await lent();
    const outcome = await bash("echo hello; echo there >&2");
    expect(outcome).toMatchObject({ ok: true, output: { exitCode: 0, raw: { stderr: "", stdout: expect.stringContaining("hello\n") } } });
    expect(said(outcome)).toContain("there");
    const { argv, callId, cwd, env } = terminal.lines[0]!;
    // In the network of the session, which is closed like one of its own.
    expect(argv).toEqual(expect.arrayContaining(["join", "--seccomp", "--ro-bind"]));
    expect(argv).not.toContain("--unshare-net");
    expect(argv.at(-1)).toContain("echo hello");
    expect([cwd, env]).toEqual([place.work, {}]);
    expect(callId).toBe(outcome.callId);
    expect(leftBehind()).toEqual([]);
  });

  test("says which walls stand there: the same without the cgroup", async () => {
    const { zeph, bash } = await lent();
    const walls = (await bash("true")).output?.walls;
    expect(walls).toEqual({
      backend: "bubblewrap",
      layers: ["namespaces", "seccomp", isRoot ? "rlimit-only" : "limits"],
      network: "closed",
      builder: expect.stringMatching(/^(?:own|system|shipped)$/),
    });
    expect(await zeph.call("bash", { command: "true" })).toMatchObject({ ok: true });
  });

  test("stays inside: files, network, system calls", async () => {
    const { terminal, bash } = await lent();
    const outside = join(place.T, "outside");
    const { port } = server.address() as { port: number };
    // In a file, so that only the walls can stop it.
    writeFileSync(join(place.work, "net.sh"), `exec 7<>/dev/tcp/127.0.0.1/${port} && cat <&7`);
    const look = [
      `cat ${outside}/secret`,
      `echo x > ${outside}/pwn && echo WROTE`,
      "bash net.sh",
      "grep -E '^(Seccomp|NoNewPrivs|CapEff):' /proc/self/status",
      "unshare -U true && echo NAMESPACE",
    ];
    const text = (await Promise.all(look.map(async (command) => said(await bash(command))))).join("\n");
    expect(text).not.toMatch(/CANARY|WROTE|NAMESPACE/);
    expect(text).toMatch(/Seccomp:\t2/);
    expect(text).toMatch(/NoNewPrivs:\t1/);
    expect(text).toMatch(/CapEff:\t0+\n/);
    expect(existsSync(join(outside, "pwn"))).toBe(false);
    expect(terminal.lines.length).toBe(look.length);
  });

  test("sees nothing of the editor: its environment, its descriptors, its keyboard", async () => {
    const folder = openSync(join(place.T, "outside"), "r");
    const { terminal, bash } = await lent({ leak: folder });
    const text = said(
      await bash(
        "env; for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done 2>/dev/null; cat /proc/self/fd/6/secret; cat; ls -l /proc/self/fd; ls -l /proc/1/fd 2>/dev/null; true",
      ),
    );
    closeSync(folder);
    expect(text).not.toContain("CANARY");
    expect(text).not.toContain(place.state);
    expect(text).toContain("0 -> /dev/null");
    expect(terminal.lines.length).toBe(1);
  });

  test("gets its variables, and they are in nobody's list of processes", async () => {
    const { terminal, zeph } = await lent();
    await zeph.turn(async () => {
      await zeph.call("bash", { command: 'export WORD="it\'s $HOME"' });
      expect(said(await zeph.call("bash", { command: "echo [$WORD]" }))).toBe("[it's /home/agent]");
    });
    expect(terminal.lines.at(-1)!.argv.join(" ")).not.toContain("it's /home/agent");
  });

  test("cd and export carry on to the next call, and only where they may", async () => {
    const { zeph, bash } = await lent();
    await zeph.turn(async () => {
      await bash("mkdir -p sub && cd sub && export A=1");
      expect(said(await bash("pwd; echo $A"))).toBe(`${join(place.work, "sub")}\n1\n[in sub]`);
      expect(said(await bash("cd /usr"))).toContain("not a folder a command may start in");
      expect(said(await bash("pwd"))).toBe(`${join(place.work, "sub")}\n[in sub]`);
    });
    expect(leftBehind()).toEqual([]);
  });

  test("a state without end is not read", async () => {
    const { zeph, bash } = await lent();
    await zeph.turn(async () => {
      expect((await bash("mkdir -p sub; cd sub; head -c 3000000 /dev/zero >&9")).ok).toBe(true);
      expect(said(await bash("pwd"))).toBe(place.work);
    });
  });

  test.each([
    ["exit 3", true, 3],
    ["exit 126", true, 126],
    ["touch x; ./x", false, 126],
    ["no-such-program", false, 127],
    ["kill -9 $$", true, 137],
  ])("%s: ok %s with exit code %i", async (command, ok, exitCode) => {
    const { bash } = await lent();
    const outcome = await bash(command);
    expect([outcome.ok, outcome.output?.exitCode]).toEqual([ok, exitCode]);
  });

  test("NUL, bytes that are no UTF-8 and the line ends of a terminal are no trouble", async () => {
    const { bash } = await lent();
    expect((await bash("printf 'a\\0b\\377c\\r\\nd\\n'")).output?.raw).toMatchObject({ stdout: "a\0b\uFFFDc\nd\n" });
  });

  test("output over the cap is cut, whoever cuts it", async () => {
    const { bash } = await lent({}, { shell: { max_output_bytes: 2000 } });
    const outcome = await bash("seq 1 5000");
    expect(outcome.output).toMatchObject({ truncated: true });
    const stdout = (outcome.output!.raw as { stdout: string }).stdout;
    expect(stdout.length).toBeLessThan(2200);
    expect(stdout).toContain("\n5000\n");
    expect(stdout).toMatch(/^\[earlier output is left out here\]\n/);
    const real = fakeTerminal();
    const run: typeof real.run = (line, signal) => real.run({ ...line, outputBytes: 1e6 }, signal);
    const boundless = await open({ terminal: { run } }, { shell: { max_output_bytes: 2000 } });
    const all = (await boundless.call("bash", { command: "seq 1 5000" })).output!;
    expect(all.truncated).toBe(true);
    expect((all.raw as { stdout: string }).stdout.length).toBeLessThan(2200);
  });

  test("an editor that started nothing, whatever it says: it runs here", async () => {
    const run = async () => ({ output: "", truncated: false, exitCode: 0 });
    const zeph = await open({ terminal: { run } });
    const text = said(await zeph.call("bash", { command: "echo here" }));
    expect(text).toContain("here\n[The editor's terminal was not used: it did not start there: exit code 0.");
  });

  test.runIf(has(PYTHON))("a real terminal: its line ends are ours, and nothing can be typed into it from inside", async () => {
    const real = fakeTerminal();
    const pty = [PYTHON, "-c", "import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"];
    const run: typeof real.run = (line, signal) => real.run({ ...line, argv: [...pty, ...line.argv] }, signal);
    const zeph = await open({ terminal: { run } });
    writeFileSync(join(place.work, "type.py"), 'import fcntl\ntry: fcntl.ioctl(1, 0x5412, b"x")\nexcept OSError as e: print(e.errno)\n');
    const outcome = await zeph.call("bash", { command: "[ -t 1 ] && echo tty; [ -t 0 ] || echo none; python3 type.py; exit 4" });
    expect((outcome.output!.raw as { stdout: string }).stdout).toBe("tty\nnone\n1\n");
    expect(outcome.output).toMatchObject({ exitCode: 4 });
  });

  test("at its time limit it is killed with all it started, and keeps what it printed", async () => {
    const word = `zeph-ed-${process.pid}-time`;
    const { terminal, bash } = await lent({}, { shell: { timeout: 6 } });
    const outcome = await bash(`echo before; (setsid bash -c 'exec -a ${word} sleep 60' &); sleep 60`);
    expect(outcome).toMatchObject({ ok: false, error: { category: "timeout" }, output: { exitCode: 124 } });
    expect(outcome.output?.text).toContain("before");
    expect(running(word)).toEqual([]);
    expect(terminal.lines[0]!.timeoutMs).toBe(6000);
  });

  test("as long as it may take here, by the same setting", async () => {
    const { terminal, bash } = await lent({}, { shell: { timeout: 3600 } });
    await bash("true");
    expect(terminal.lines[0]!.timeoutMs).toBe(3_600_000);
  });

  test("cancelled: 130, and nothing lives on", async () => {
    const word = `zeph-ed-${process.pid}-stop`;
    const { bash } = await lent();
    const stop = new AbortController();
    const commanded = bash(`touch began; exec -a ${word} sleep 600`, { signal: stop.signal });
    await expect.poll(() => existsSync(join(place.work, "began"))).toBe(true);
    stop.abort();
    const outcome = await commanded;
    expect(outcome).toMatchObject({ ok: false, error: { category: "cancelled" }, output: { exitCode: 130 } });
    expect(running(word)).toEqual([]);
  });

  test("an editor that only says it stopped: it is stopped all the same", async () => {
    const word = `zeph-ed-${process.pid}-lie`;
    const real = fakeTerminal();
    const terminal = {
      run: async (line: Parameters<typeof real.run>[0]) => {
        const never = real.run({ ...line, timeoutMs: 30_000 }, new AbortController().signal);
        await Promise.race([never, new Promise((done) => setTimeout(done, 600))]);
        return { output: "", truncated: false, exitCode: null, stopped: "timeout" as const };
      },
    };
    const zeph = await open({ terminal });
    await zeph.call("bash", { command: `exec -a ${word} sleep 60` });
    await vi.waitFor(() => expect(running(word)).toEqual([]), { timeout: 20_000, interval: 200 });
  });

  test("an editor that never answers does not keep the call, and the line is worth nothing afterwards", async () => {
    const lines: Parameters<ReturnType<typeof fakeTerminal>["run"]>[0][] = [];
    const run = (line: (typeof lines)[number]) => {
      lines.push(line);
      return new Promise<never>(() => {});
    };
    const zeph = await open({ terminal: { run } }, { shell: { timeout: 0.2 } });
    const outcome = await zeph.call("bash", { command: "touch late" });
    expect(said(outcome)).toMatch(/^network_error: The editor's terminal failed \(it does not answer\)/);
    const stopped = await zeph.call("bash", { command: "touch late" }, { signal: AbortSignal.timeout(20) });
    expect(stopped).toMatchObject({ ok: false, error: { category: "cancelled" } });
    const late = await fakeTerminal().run(lines[0]!, new AbortController().signal);
    expect([late.exitCode, existsSync(join(place.work, "late"))]).toEqual([125, false]);
  });

  test("refused: it runs here, behind walls, and says so", async () => {
    const run = async () => Promise.reject(new TerminalUnavailable("the person closed it."));
    const zeph = await open({ terminal: { run } });
    const outcome = await zeph.call("bash", { command: "echo ran; cat /proc/self/status | grep Seccomp:" });
    expect(said(outcome)).toContain("[The editor's terminal was not used: the person closed it. The command ran outside of it.]");
    expect(said(outcome)).toMatch(/^ran\nSeccomp:\t2/);
    expect(outcome.output?.walls).toMatchObject({ backend: "bubblewrap", network: "closed" });
  });

  test("too long for one argument: the editor is not asked, and it is known that nothing ran", async () => {
    const terminal = fakeTerminal();
    const config = { audit: { path: join(place.state, "audit.jsonl") } };
    const zeph = await place.runtime({ config, editor: { terminal }, confirm: () => "once" });
    opened.push(zeph);
    // A call that was cancelled before may still wait for its editor.
    const before = leftBehind();
    const outcome = await zeph.call("bash", { command: `echo ${"A".repeat(140_000)} | wc -c` });
    expect(said(outcome)).toMatch(/^permanent_failure: The command could not be started: it is longer than .* Write it into a file/);
    expect(terminal.lines).toEqual([]);
    expect(leftBehind().filter((name) => !before.includes(name))).toEqual([]);
    // As much as fits is shown there.
    expect(said(await zeph.call("bash", { command: `echo ${"A".repeat(120_000)} | wc -c` }))).toBe("120001");
    expect(terminal.lines.length).toBe(1);
  });

  test("any other failure: nobody knows what happened, so it is not run again", async () => {
    const real = fakeTerminal();
    const terminal = {
      run: async (...given: Parameters<typeof real.run>) => {
        await real.run(...given);
        throw new Error("connection closed");
      },
    };
    const zeph = await open({ terminal });
    const outcome = await zeph.call("bash", { command: "echo x >> count" });
    expect(said(outcome)).toMatch(/^network_error: .*connection closed.*not known whether/);
    expect(readFileSync(join(place.work, "count"), "utf8")).toBe("x\n");
  });

  test("only the command itself is watched: what runs in the background and diagnostics stay here", async () => {
    const { terminal, zeph } = await lent();
    const outcome = await zeph.call("bash", { command: "echo bg", background: true });
    expect(outcome.ok).toBe(true);
    const { run_id: runId } = outcome.output!.raw as { run_id: string };
    await zeph.call("background", { action: "wait", run_id: runId });
    expect(terminal.lines).toEqual([]);
  });

  test("a transaction is undone as ever, and a wall is still guessed at", async () => {
    const { bash } = await lent({}, { shell: { transactional: true, auto_rollback: true, auto_rollback_exit_codes: [1] } });
    writeFileSync(join(place.work, "kept"), "old\n");
    const outcome = await bash("echo new > kept; exit 1", { phase: "executor" });
    expect(said(outcome)).toContain("rolled back after exit code 1");
    expect(readFileSync(join(place.work, "kept"), "utf8")).toBe("old\n");
    expect(said(await bash("touch /usr/pwn"))).toContain("Perhaps a wall");
  });

  test("a folder of ours that commands can write is never used: it runs here", async () => {
    const { terminal, bash } = await lent({}, { sandbox: { allow_read: [place.state] } });
    expect(said(await bash("echo x"))).toContain("commands can reach");
    expect(terminal.lines).toEqual([]);
  });
});

describe("without walls", () => {
  test("switched off: the command in a clean environment, and its state carries on", async () => {
    const { terminal, zeph } = await lent({}, { sandbox: { enabled: false } });
    await zeph.turn(async () => {
      const outcome = await zeph.call("bash", { command: "mkdir -p sub; cd sub; export B='a b'; env" });
      expect(outcome.output?.walls).toMatchObject({ backend: "none", network: "open", reason: "tools.sandbox.enabled is false" });
      expect(said(outcome)).not.toContain("CANARY");
      expect(said(await zeph.call("bash", { command: "pwd; echo $B" }))).toBe(`${join(place.work, "sub")}\na b\n[in sub]`);
    });
    expect(terminal.lines.length).toBe(2);
    expect(terminal.lines[0]!.argv.slice(-5, -1)).toEqual(["/bin/bash", "--noprofile", "--norc", "-c"]);
  });

  test.runIf(isRoot && available)("no sandbox works here: the same question as ever, and then the editor's terminal", async () => {
    const apart = workspace();
    execFileSync("chown", ["-R", "61234:61234", apart.work]);
    chmodSync(apart.work, 0o700);
    const terminal = fakeTerminal({ env: { EDITOR_TOKEN: SECRET } });
    const config = { audit: { path: join(apart.state, "audit.jsonl") }, tools: { permissions: { bash: ALLOW } } };
    let answer: "once" | "no" = "no";
    const zeph = await apart.runtime({ config, editor: { terminal }, confirm: () => answer });
    expect((await zeph.call("bash", { command: "echo ran" })).ok).toBe(false);
    expect(terminal.lines).toEqual([]);
    answer = "once";
    const outcome = await zeph.call("bash", { command: "echo ran; env" });
    expect(said(outcome)).toMatch(/^ran\n/);
    expect(said(outcome)).not.toContain("CANARY");
    expect(outcome.output?.walls).toMatchObject({ backend: "none" });
    expect(terminal.lines.length).toBe(1);
    await zeph.close();
    apart.remove();
  });
});
