import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import type { Served, ServedProgram } from "../../src/core/ports/served.ts";
import { openLocalHost } from "../../src/host/local.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { openServedPrograms } from "../../src/host/serving/served-programs.ts";
import { createStartProgram } from "../../src/host/serving/walls.ts";
import { NOWHERE } from "../offline-host.ts";
import { available, EVERYBODY, isRoot, who } from "./support.ts";
import { running } from "./targets.ts";

let server: Server;
beforeAll(async () => {
  server = createServer((socket) => socket.on("error", () => {}).end("CANARY-NET\n"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => void server.close());

const program = (argv: ServedProgram["argv"], more: Partial<ServedProgram> = {}): ServedProgram => ({
  argv,
  env: {},
  network: "closed",
  ...more,
});
const bash = (script: string, more: Partial<ServedProgram> = {}) => program(["/bin/bash", "--norc", "-c", script], more);

/** All it printed, once it ended. */
function heard(served: Served): { text(): string } {
  let text = "";
  served.onOutput = (chunk) => {
    text += Buffer.from(chunk).toString("utf8");
  };
  return { text: () => text };
}

describe.runIf(available).each(EVERYBODY)("a program that serves, as %s", (name) => {
  const me = who(name);
  const cwd = me.workspace();
  const own = join(me.base, "own");
  const open = (config: object = {}, env: object = process.env) =>
    openServedPrograms(
      createStartProgram({
        sandbox: sandboxConfig().parse(config),
        setting: { cwd, home: me.home, own: [own], keys: [], allowedPaths: [], env: env as NodeJS.ProcessEnv },
        user: me.user,
      }),
    );
  const all = open();
  afterAll(async () => {
    await all.close();
    me.remove();
  });
  const printed = async (wish: ServedProgram, by = all) => {
    const served = await by.serve(wish);
    const out = heard(served);
    const end = await served.ended;
    return { text: out.text(), ...end, walls: served.walls };
  };

  test("has as many frozen files as a command", async () => {
    const many = me.workspace();
    for (let n = 0; n < 205; n++) mkdirSync(join(many, `r${n}`, ".vscode"), { recursive: true });
    if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, many]);
    const setting = { cwd: many, home: me.home, own: [own], keys: [], allowedPaths: [], env: process.env };
    const by = openServedPrograms(createStartProgram({ sandbox: sandboxConfig().parse({}), setting, user: me.user }));
    const { text, walls } = await printed(
      bash(`cd ${many}; for d in r*/.vscode; do touch $d/x 2>/dev/null && echo open; done; echo end`),
      by,
    );
    await by.close();
    // Those of the repository itself count as well.
    expect(text).toMatch(walls.builder === "own" ? /^end\n$/ : /^(?:open\n){5,10}end\n$/);
  });

  test("is talked to through its pipes", async () => {
    const served = await all.serve(program(["cat"]));
    const out = heard(served);
    expect(served.walls).toMatchObject({ backend: "bubblewrap", network: "closed" });
    expect(served.pid).toBeGreaterThan(0);
    await served.write("one\n");
    await served.write(Buffer.from([0xff, 0, 10]));
    await expect.poll(() => out.text()).toBe("one\n\uFFFD\0\n");
    await served.stop();
    // Its input was closed, so it had the chance to end by itself.
    expect(await served.ended).toEqual({ exitCode: 0, said: "" });
    await expect(served.write("late")).rejects.toThrow(/takes nothing any more/);
  });

  test("stays inside, and can write the workspace but not what is frozen there", async () => {
    const { text, walls } = await printed(
      bash(
        `cat ${me.outside}/secret; echo x > ${me.outside}/pwn; cd ${cwd}; echo made > made; echo x >> .git/config; id -u; env; grep ^Seccomp: /proc/self/status; cat /proc/1/environ`,
        { env: { GIVEN: "yes" } },
      ),
    );
    expect(text).not.toContain("CANARY");
    expect(text).toContain("GIVEN=yes\n");
    expect(text).toContain("Seccomp:\t2\n");
    expect(text.split("\n")[0]).toBe(String(me.user?.uid ?? process.getuid?.()));
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("made\n");
    expect(readFileSync(join(cwd, ".git/config"), "utf8")).not.toMatch(/^x$/m);
    expect(walls.layers).toContain("namespaces");
  });

  test("reads and writes what it was given besides, and never what is Zeph's own", async () => {
    const shared = join(me.base, "shared");
    mkdirSync(shared, { recursive: true });
    mkdirSync(own, { recursive: true });
    if (me.user) execFileSync("chown", [`${me.user.uid}:${me.user.gid}`, shared]);
    const script = `cat ${me.outside}/secret && echo y > ${shared}/file && echo z > ${me.outside}/no; echo w > ${cwd}/here`;
    const { text, said } = await printed(bash(script, { read: [me.outside], write: [shared] }));
    expect(text).toBe("CANARY-HOST\n");
    expect(said).toMatch(/Read-only file system/);
    expect([existsSync(join(shared, "file")), existsSync(join(cwd, "here"))]).toEqual([true, true]);
    await expect(all.serve(bash("true", { write: [own] }))).rejects.toMatchObject({ category: "policy_blocked" });
    await expect(all.serve(bash("true", { write: [me.home] }))).rejects.toMatchObject({ category: "policy_blocked" });
  });

  test("has the network when it says so, whatever commands have", async () => {
    const { port } = server.address() as { port: number };
    const script = `exec 7<>/dev/tcp/127.0.0.1/${port} && cat <&7`;
    const closed = await printed(bash(script), open({ allow_network: true }));
    expect([closed.text, closed.walls.network]).toEqual(["", "closed"]);
    const opened = await printed(bash(script, { network: "open" }));
    expect([opened.text, opened.walls.network]).toEqual(["CANARY-NET\n", "open"]);
  });

  test("stop ends everything it started, also what ignores it and what left the session", async () => {
    const word = `zeph-served-${process.pid}-${name}`;
    const served = await all.serve(
      bash(`trap '' TERM HUP; (setsid bash -c 'exec -a ${word} sleep 60' &); bash -c 'exec -a ${word} sleep 60' & echo up; sleep 60`),
    );
    const out = heard(served);
    await expect.poll(() => out.text()).toContain("up");
    await expect.poll(() => running(word).length).toBeGreaterThanOrEqual(2);
    await Promise.all([served.stop(), served.stop()]);
    expect(running(word)).toEqual([]);
    expect((await served.ended).exitCode === 0).toBe(false);
  });

  test("closing ends all that still run, and nothing is started any more", async () => {
    const word = `zeph-closed-${process.pid}-${name}`;
    const by = open();
    const three = await Promise.all([1, 2, 3].map(() => by.serve(bash(`exec -a ${word} sleep 60`))));
    for (let i = 0; i < 200 && running(word).length < 3; i++) await sleep(10);
    await by.close();
    expect(running(word)).toEqual([]);
    await Promise.all(three.map(({ ended }) => ended));
    await expect(by.serve(program(["cat"]))).rejects.toMatchObject({ category: "cancelled" });
  });

  test("how it ended, and the end of what it said", async () => {
    const served = await all.serve(bash("for i in {1..3000}; do echo line $i; done >&2; echo é >&2; exit 7"));
    const { exitCode, said } = await served.ended;
    expect(exitCode).toBe(7);
    expect(said).toMatch(/line 3000\né\n$/);
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(4096);
  });

  test("a flood is bounded: before anybody listens, and when nobody keeps up", async () => {
    const served = await all.serve(bash("while :; do head -c 1000000 /dev/zero || exit; done"));
    await sleep(300);
    const before = process.memoryUsage();
    await sleep(700);
    const quiet = process.memoryUsage();
    expect(quiet.rss - before.rss).toBeLessThan(30e6);
    let got = 0;
    served.onOutput = (chunk) => {
      got += chunk.length;
      const until = performance.now() + 5;
      while (performance.now() < until);
    };
    await expect.poll(() => got).toBeGreaterThan(10e6);
    expect(process.memoryUsage().rss - quiet.rss).toBeLessThan(100e6);
    await served.stop();
  });

  test("a program that does not read is not sent more and more", async () => {
    const served = await all.serve(bash("sleep 60"));
    const chunk = Buffer.alloc(8_000_000);
    let taken = 0;
    const writes = Array.from({ length: 20 }, () =>
      served.write(chunk).then(
        () => void taken++,
        (error: Error) => error.message,
      ),
    );
    await sleep(200);
    expect(taken).toBe(0);
    await served.stop();
    const words = await Promise.all(writes);
    expect(words.filter((word) => word?.includes("does not read")).length).toBeGreaterThan(10);
    expect(words.filter((word) => word?.includes("takes nothing any more")).length).toBeGreaterThan(3);
  });

  test("a listener that throws ends the program and nothing else", async () => {
    const served = await all.serve(bash("echo x; sleep 60"));
    served.onOutput = () => {
      throw new Error("lost");
    };
    expect(await served.ended).toMatchObject({ said: "" });
  });

  test("what is missing or hidden is said at once, by name", async () => {
    await expect(all.serve(program(["zeph-no-such"]))).rejects.toMatchObject({
      category: "permanent_failure",
      message: expect.stringMatching(/no program "zeph-no-such" where commands look for theirs: .*\/usr\/bin/),
    });
    await expect(all.serve(program(["/no/such"]))).rejects.toThrow("/no/such does not exist or is not a program.");
    const hidden = join(me.outside, "tool");
    writeFileSync(hidden, "#!/bin/sh\necho tool\n");
    chmodSync(hidden, 0o755);
    await expect(all.serve(program([hidden]))).rejects.toThrow(/cannot be seen behind the walls/);
    symlinkSync(hidden, join(cwd, "link"));
    await expect(all.serve(program([join(cwd, "link")]))).rejects.toThrow(/cannot be seen behind the walls/);
    expect((await printed(program([hidden], { read: [me.outside] }))).text).toBe("tool\n");
    expect((await printed(program([join(cwd, "here.sh")]), withScript(cwd, all))).text).toBe("script\n");
  });
});

function withScript<T>(cwd: string, by: T): T {
  writeFileSync(join(cwd, "here.sh"), "#!/bin/bash\necho script\n");
  chmodSync(join(cwd, "here.sh"), 0o755);
  return by;
}

describe.runIf(available)("a host", () => {
  const me = who(isRoot ? "root" : "user");
  afterAll(() => me.remove());

  test("ends what it serves when it is closed", async () => {
    const { file, shell, sandbox, scope } = parseConfig({}).tools;
    const cwd = me.workspace();
    const host = openLocalHost({ cwd, file, shell, sandbox, scope, ...NOWHERE, own: [], keys: [], notes: join(me.base, "notes") });
    const served = await host.serve(program(["sleep", "60"]));
    await host.close();
    expect((await served.ended).exitCode === 0).toBe(false);
  });
});

describe("where no walls are", () => {
  const me = who(isRoot ? "root" : "user");
  const cwd = me.workspace();
  afterAll(() => me.remove());
  const open = (config: object, path = process.env.PATH) =>
    openServedPrograms(
      createStartProgram({
        sandbox: parseConfig({ tools: { sandbox: config } }).tools.sandbox,
        setting: { cwd, home: me.home, own: [], keys: [], allowedPaths: [], env: { ...process.env, PATH: path } },
      }),
    );

  test("switched off: it runs, says so, and its environment is clean all the same", async () => {
    const served = await open({ enabled: false }).serve(bash("env; pwd", { env: { GIVEN: "yes", HOME: "/given" } }));
    const out = heard(served);
    await served.ended;
    expect(served.walls).toEqual({ backend: "none", layers: [], network: "open", reason: "tools.sandbox.enabled is false" });
    expect(out.text()).not.toContain("CANARY");
    expect(out.text()).toContain("GIVEN=yes\n");
    expect(out.text()).toContain("HOME=/given\n");
    expect(out.text()).not.toContain(cwd);
    await expect(open({ enabled: false }).serve(program(["zeph-no-such"]))).rejects.toThrow(/no program/);
  });

  test("switched off: stop ends its group", async () => {
    const word = `zeph-group-${process.pid}`;
    const served = await open({ enabled: false }).serve(bash(`trap '' HUP; bash -c 'exec -a ${word} sleep 60' & sleep 60`));
    await expect.poll(() => running(word)).not.toEqual([]);
    await served.stop();
    await expect.poll(() => running(word)).toEqual([]);
  });

  // Root has no right to override owners inside, so a workspace of somebody else cannot be held.
  test.runIf(isRoot && available)("no sandbox works: only noop runs it, and the others say what to set", async () => {
    execFileSync("chown", ["-R", "61234:61234", cwd]);
    chmodSync(cwd, 0o700);
    for (const fallback of ["ask", "deny"])
      await expect(open({ fallback }).serve(program(["cat"]))).rejects.toMatchObject({
        category: "policy_blocked",
        message: expect.stringMatching(/cat is not started without walls.*tools\.sandbox\.fallback = "noop"/),
      });
    const served = await open({ fallback: "noop" }).serve(bash("echo ran"));
    const out = heard(served);
    await served.ended;
    expect([out.text(), served.walls.backend]).toEqual(["ran\n", "none"]);
    expect(served.walls.reason).toContain("Shell sandbox unavailable");
  });
});
