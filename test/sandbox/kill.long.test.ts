import { spawn } from "node:child_process";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { BWRAP } from "./bwrap.ts";
import { available, EVERYBODY, inside, type Who, type Wish, who } from "./support.ts";
import { endAll, launchersOf, running } from "./targets.ts";
import { program } from "./weak.ts";

const KILLS = Number(process.env.KILLS ?? 10);
const family = (word: string) =>
  `bash -c 'exec -a ${word} sleep 600' & (setsid bash -c 'exec -a ${word} sleep 600' &); nohup bash -c 'exec -a ${word} sleep 600' >/dev/null 2>&1 & sleep 0.1; echo up; wait`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** By the program that Zeph brings along, which the launcher or Node starts. */
const WAYS: Readonly<Record<string, Wish>> = { "the launcher": {}, "zeph-run": { stdin: "" } };
const WATCHED = EVERYBODY.flatMap((name) => Object.keys(WAYS).map((way) => [name, way] as const));

describe.runIf(available).each(WATCHED)("as %s, watched by %s", (name, by) => {
  const me = who(name);
  afterAll(() => me.remove());
  const run = (cwd: string, owner: Who, command: string, wish: Wish = {}) => inside(cwd, owner, command, { ...wish, ...WAYS[by] });

  test(`${KILLS} times: after a timeout nothing lives on, not even what left the session`, async () => {
    const cwd = me.workspace();
    for (let i = 0; i < KILLS; i++) {
      const word = `zeph-kill-${process.pid}-${name}-${by.replace(" ", "-")}-${i}`;
      // Sometimes in the middle of starting up.
      const did = await run(cwd, me, family(word), { timeoutMs: i % 3 === 2 ? 5 + i * 3 : 250 });
      expect(did.stopped).toBe("timeout");
      expect(running(word)).toEqual([]);
    }
  });

  // bwrap itself forgets for a moment that it should die with its parent: about one in fifty of these hit that moment.
  test(`${KILLS * 4} times in the middle of its start: nothing lives on`, async () => {
    const cwd = me.workspace();
    for (let i = 0; i < KILLS * 4; i++) {
      const word = `zeph-early-${process.pid}-${name}-${by.replace(" ", "-")}-${i}`;
      const start = performance.now();
      const did = await run(cwd, me, family(word), { timeoutMs: 5 + (i % 25) });
      expect(did.stopped).toBe("timeout");
      expect(performance.now() - start).toBeLessThan(30_000);
      expect(running(word)).toEqual([]);
    }
  });

  test("after an abort nothing lives on", async () => {
    const word = `zeph-abort-${process.pid}-${name}-${by.replace(" ", "-")}`;
    const stop = new AbortController();
    const heard = (out: string) => void (out.includes("up") && stop.abort());
    const did = await run(me.workspace(), me, family(word), { signal: stop.signal, timeoutMs: 600_000, heard });
    expect(did).toMatchObject({ stopped: "aborted", ran: true, exitCode: null });
    expect(running(word)).toEqual([]);
  });

  test("when the command ends, what it left in the background ends with it", async () => {
    const word = `zeph-left-${process.pid}-${name}-${by.replace(" ", "-")}`;
    const did = await run(me.workspace(), me, `(setsid bash -c 'exec -a ${word} sleep 60' >/dev/null 2>&1 &); sleep 0.05; echo end`);
    expect(did).toMatchObject({ exitCode: 0, ran: true, out: "end\n" });
    expect(running(word)).toEqual([]);
  });

  test("an aborted signal starts nothing", async () => {
    expect(await run(me.workspace(), me, "touch started", { signal: AbortSignal.abort() })).toMatchObject({
      ran: false,
      stopped: "aborted",
    });
  });

  test("exit codes pass through; a signal inside is 128 + n", async () => {
    const cwd = me.workspace();
    expect(await run(cwd, me, "exit 7")).toMatchObject({ exitCode: 7, ran: true });
    expect(await run(cwd, me, "kill -SEGV $$")).toMatchObject({ exitCode: 139, ran: true });
  });
});

describe.runIf(available)("the one who started it", () => {
  const me = who(process.getuid?.() === 0 ? "root" : "user");
  afterAll(() => me.remove());

  test("is killed: the command dies with it", async () => {
    const word = `zeph-orphan-${process.pid}`;
    const file = await program(`inside(${JSON.stringify(family(word))});`);
    // What a killed process leaves is for its next start, and here there is none.
    const env = { ...process.env, TMPDIR: me.base };
    const child = spawn(process.execPath, [file, me.workspace()], { stdio: ["ignore", "pipe", "ignore"], env });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await expect.poll(() => running(word).length).toBeGreaterThanOrEqual(3);
    const launcher = launchersOf(child.pid!);
    expect(launcher).toHaveLength(1);
    child.kill("SIGKILL");
    const left = () => [...running(word), ...running("\0serve\0").filter((pid) => launcher.includes(pid))];
    await expect.poll(left).toEqual([]);
  });

  test("control: without die-with-parent they live on", async () => {
    const word = `zeph-weak-${process.pid}`;
    const line = [
      "--ro-bind",
      "/",
      "/",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--unshare-user",
      "--unshare-pid",
      "--new-session",
      "--",
      "/bin/bash",
      "-c",
    ];
    const child = spawn(BWRAP, [...line, family(word)], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    process.kill(-child.pid!, "SIGKILL");
    await pause(150);
    const left = running(word);
    endAll(word);
    child.stdout.destroy();
    expect(left.length).toBeGreaterThan(0);
  });
});
