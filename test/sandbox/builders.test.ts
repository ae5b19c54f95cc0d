import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createInlineLine } from "../../src/host/sandbox/backends/inline.ts";
import { holdPlaces, judgeAgain, PlaceChanged } from "../../src/host/sandbox/held-places.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import type { Policy } from "../../src/host/sandbox/policy.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import type { Sandbox } from "../../src/host/sandbox/sandbox.ts";
import { stopOthers } from "../../src/host/sandbox/stop-others.ts";
import { parentOf } from "../../src/text/path.ts";
import { available, BUILDERS, BWRAPS, EVERYBODY, inside, policyIn, type Who, wallsFor, who } from "./support.ts";

const PEOPLE = EVERYBODY.map((name) => who(name));
afterAll(() => {
  for (const one of PEOPLE) one.remove();
});

/** The mounts inside, without what differs from start to start: numbers, and the names of file systems in memory. */
async function mountsWith(sandbox: Sandbox, cwd: string, me: Who): Promise<string[]> {
  const { out } = await inside(cwd, me, "cat /proc/self/mountinfo", { sandbox });
  return out
    .split("\n")
    .flatMap((line) => {
      const [, , , root, path, options] = line.split(" ");
      // For bubblewrap alone /etc can be a copy, in one mount (test/sandbox/prepared-etc.test.ts).
      if (!path || path === "/zeph-run" || /^\/(?:proc\/|etc(?:\/|$))/.test(path)) return [];
      const type = line.split(" - ")[1]!.split(" ")[0];
      return [`${type} ${type === "tmpfs" ? "/" : root} ${path} ${options}`];
    })
    .sort();
}

describe.runIf(available).each(PEOPLE.map((me) => [me.name, me] as const))("as %s", (_name, me) => {
  const repository = () => {
    const cwd = me.workspace();
    for (const name of ["deep/er/.vscode", "kept/.git/hooks"]) mkdirSync(join(cwd, name), { recursive: true });
    writeFileSync(join(cwd, "kept/.git/config"), "");
    writeFileSync(join(cwd, "deep/er/.vscode/tasks.json"), "{}");
    if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, cwd]);
    return cwd;
  };

  test("both builders mount the same", async () => {
    const cwd = repository();
    const [own, bwrap] = [await wallsFor(policyIn(cwd, me), me, ["own"]), await wallsFor(policyIn(cwd, me), me, BWRAPS)];
    expect([own.walls.builder, bwrap.walls.builder]).toEqual(["own", expect.stringMatching(/system|shipped/)]);
    const mounts = await mountsWith(own, cwd, me);
    expect(mounts.filter((line) => line.includes(cwd)).length).toBeGreaterThan(5);
    expect(mounts.map((line) => (line.includes(" /proc ") ? line.replace(" rw,", " ro,") : line))).toEqual(
      await mountsWith(bwrap, cwd, me),
    );
  });

  test.each(BUILDERS)("the first process shows nothing of itself: %s", async (_which, builders) => {
    const cwd = me.workspace();
    const sandbox = await wallsFor(policyIn(cwd, me), me, builders);
    const { out } = await inside(cwd, me, "cat /proc/1/environ /proc/1/maps; ls /proc/1/fd/ /proc/1/root/ /proc/1/cwd/; echo read: $?", {
      sandbox,
    });
    expect(out).not.toMatch(/=|heap|usr/);
    expect(out).toContain("Permission denied");
  });

  test.each(BUILDERS)(
    "a folder above a wall keeps its name while a command runs, and work below it goes on: %s",
    async (_which, builders) => {
      const cwd = repository();
      const sandbox = await wallsFor(policyIn(cwd, me), me, builders);
      const { out } = await inside(
        cwd,
        me,
        "exec 2>&1; mv deep other; mv deep/er deep/x; mv kept k; echo new > deep/er/file && mv deep/er/file deep/er/moved && ls deep/er",
        {
          sandbox,
        },
      );
      expect(out.match(/busy/gi)).toHaveLength(3);
      expect(out).toMatch(/moved\n$/);
      expect(readdirSync(cwd)).toEqual(expect.arrayContaining(["deep", "kept"]));
    },
  );

  test.each(BUILDERS)("what is hidden in the system's folders stays hidden, and commands run: %s", async (_which, builders) => {
    const cwd = me.workspace();
    const policy = policyIn(cwd, me);
    const sandbox = await wallsFor(policy, me, builders);
    const hide = (path: string): Policy => ({ ...policy, hidden: { places: [{ path, kind: "file" }], unfinished: null } });
    for (const path of ["/etc/hosts", "/etc/hostname"]) {
      const { out } = await inside(cwd, me, `cat ${path}; echo ran`, { sandbox, change: () => hide(path) });
      expect(out).toMatch(/Permission denied|No such file/);
      expect(out).toContain("ran\n");
    }
  });

  test.each(BUILDERS)("a workspace below a writable folder is held as well: %s", async (_which, builders) => {
    const cwd = me.workspace();
    const { dev, ino } = statSync(cwd, { bigint: true });
    const policy = policyIn(cwd, me);
    const sandbox = await wallsFor(policy, me, builders);
    const change = (): Policy => ({ ...policy, write: [parentOf(cwd)], held: { path: cwd, mark: `${dev}:${ino}` } });
    expect((await inside(cwd, me, "echo ran", { sandbox, change })).out).toBe("ran\n");
  });

  /** What another program does between the judgement and the walls. */
  const swaps: readonly (readonly [string, (cwd: string) => void])[] = [
    ["a link to the home", (cwd) => symlinkSync(me.home, join(cwd, "kept"))],
    ["another folder", (cwd) => mkdirSync(join(cwd, "kept/.git/hooks"), { recursive: true })],
    ["nothing", () => {}],
    [
      "another folder that holds the same frozen file",
      (cwd) => {
        mkdirSync(join(cwd, "kept/.git/hooks"), { recursive: true });
        linkSync(join(cwd, "before/.git/config"), join(cwd, "kept/.git/config"));
      },
    ],
  ];
  test.each(BUILDERS.flatMap(([which, builders]) => swaps.map(([what, swap]) => [which, what, builders, swap] as const)))(
    "%s starts nothing where a folder became %s",
    async (_which, _what, builders, swap) => {
      const cwd = repository();
      const policy = policyIn(cwd, me);
      const sandbox = await wallsFor(policy, me, builders);
      const line = launch(sandbox, policy, ["/bin/bash", "-c", "echo STARTED; cat /proc/self/mountinfo"], { user: me.user });
      renameSync(join(cwd, "kept"), join(cwd, "before"));
      swap(cwd);
      let out = "";
      const ran = await runLaunch(line, { timeoutMs: 20_000, onOutput: (chunk) => (out += chunk) });
      expect({ ran: ran.ran, changed: ran.changed, out }).toEqual({
        ran: false,
        changed: true,
        out: expect.not.stringContaining("STARTED"),
      });
      // A server's program is asked when it has ended and nothing is held any more.
      expect(line.status()).toBe("changed");
    },
  );

  /** Of the places in these folders nothing but one file, or where the command starts, is judged. */
  const alone: readonly (readonly [string, (policy: Policy) => Policy, (cwd: string) => void])[] = [
    [
      "a frozen file has the same name in another folder",
      (policy) => ({ ...policy, protect: { ...policy.protect, pinned: [], frozen: [join(policy.cwd, "kept/.git/config")] } }),
      (cwd) => {
        mkdirSync(join(cwd, "kept/.git"), { recursive: true });
        linkSync(join(cwd, "before/.git/config"), join(cwd, "kept/.git/config"));
      },
    ],
    [
      "a hidden file has the same name in another folder",
      (policy) => ({
        ...policy,
        protect: { ...policy.protect, pinned: [], frozen: [] },
        hidden: { places: [{ path: join(policy.cwd, "kept/.git/config"), kind: "file" }], unfinished: null },
      }),
      (cwd) => {
        mkdirSync(join(cwd, "kept/.git"), { recursive: true });
        linkSync(join(cwd, "before/.git/config"), join(cwd, "kept/.git/config"));
      },
    ],
    [
      "the folder where it starts is another one",
      (policy) => ({ ...policy, protect: { ...policy.protect, pinned: [], frozen: [] }, cwd: join(policy.cwd, "kept") }),
      (cwd) => void mkdirSync(join(cwd, "kept")),
    ],
  ];
  test.each(BUILDERS.flatMap(([which, builders]) => alone.map(([what, change, swap]) => [which, what, builders, change, swap] as const)))(
    "%s starts nothing where %s",
    async (_which, _what, builders, change, swap) => {
      const cwd = repository();
      const sandbox = await wallsFor(policyIn(cwd, me), me, builders);
      const line = launch(sandbox, change(policyIn(cwd, me)), ["/bin/bash", "-c", "echo STARTED"], { user: me.user });
      renameSync(join(cwd, "kept"), join(cwd, "before"));
      swap(cwd);
      let out = "";
      const ran = await runLaunch(line, { timeoutMs: 20_000, onOutput: (chunk) => (out += chunk) });
      expect({ ran: ran.ran, changed: ran.changed, out }).toEqual({
        ran: false,
        changed: true,
        out: expect.not.stringContaining("STARTED"),
      });
    },
  );
});

describe.runIf(process.platform === "linux")("what was judged", () => {
  const me = PEOPLE[0]!;

  const heldBelow = (folder: string) =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
      } catch {
        return false;
      }
    }).length;

  test.runIf(available).each(BUILDERS)(
    "is held until the walls stand, also in an editor's terminal, and no longer: %s",
    async (_which, builders) => {
      const cwd = me.workspace();
      const policy = policyIn(cwd, me);
      const sandbox = await wallsFor(policy, me, builders);
      const folder = join(me.base, "lines");
      const line = createInlineLine(launch(sandbox, policy, ["/bin/sleep", "60"], { starter: "other" }), folder, null);
      onTestFinished(line.remove);
      expect(heldBelow(cwd)).toBeGreaterThan(0);
      const child = spawn(line.argv[0]!, line.argv.slice(1), { stdio: "ignore", env: {} });
      const ended = once(child, "exit");
      await vi.waitFor(() => expect(heldBelow(cwd)).toBe(0), 20_000);
      expect(child.exitCode).toBe(null);
      await line.end();
      await ended;
    },
  );

  test("is found through no link, and refused when it is another file than before", () => {
    const cwd = me.workspace();
    const { dev, ino } = statSync(cwd, { bigint: true });
    const policy: Policy = policyIn(cwd, me);
    const held = holdPlaces(policy);
    expect(held.identity(cwd)).toBe(`${dev}:${ino}`);
    held.release();
    expect(() => holdPlaces({ ...policy, held: { path: cwd, mark: `${dev}:${ino + 1n}` } })).toThrow(PlaceChanged);
    mkdirSync(join(cwd, "real/below"), { recursive: true });
    symlinkSync("real", join(cwd, "link"));
    for (const path of ["link", "link/below", "missing"].map((name) => join(cwd, name)))
      expect(() => holdPlaces({ ...policy, write: [...policy.write, path] }), path).toThrow(PlaceChanged);
  });

  test("is compared again as long as it is held", () => {
    const cwd = me.workspace();
    const [first, away, moved] = ["kept", "kept/below", "moved"].map((name) => join(cwd, name));
    mkdirSync(away!, { recursive: true });
    const policy = policyIn(cwd, me);
    const held = holdPlaces({ ...policy, write: [...policy.write, away!] });
    expect(held.changed()).toBe(null);
    renameSync(first!, moved!);
    expect(held.changed()).toBe(away);
    mkdirSync(away!, { recursive: true });
    expect(held.changed()).toBe(away);
    held.release();
    expect(held.changed()).toBe(null);
  });

  test("is judged again five times, and then refused in plain words", async () => {
    let judged = 0;
    const failing = async (): Promise<string> => {
      if (++judged < 3) throw new PlaceChanged("/w/x");
      return "ran";
    };
    expect([await judgeAgain(failing), judged]).toEqual(["ran", 3]);
    judged = Number.NEGATIVE_INFINITY;
    let tries = 0;
    const never = async () => {
      tries++;
      throw new PlaceChanged("/w/x");
    };
    await expect(judgeAgain(never)).rejects.toThrow(/^\/w\/x was exchanged 5 times while the walls were built, so nothing was started/);
    expect(tries).toBe(5);
  });
});

test.runIf(available)("behind bubblewrap the other commands stand still while walls are built, and go on afterwards", async () => {
  const me = PEOPLE[0]!;
  const cwd = me.workspace();
  const policy = policyIn(cwd, me);
  const sandbox = await wallsFor(policy, me, BWRAPS);
  const ended = new AbortController();
  const line = launch(sandbox, policy, ["/bin/bash", "-c", "echo $BASHPID; while :; do :; done"], { user: me.user });
  let said = "";
  const run = runLaunch(line, { timeoutMs: 60_000, signal: ended.signal, onOutput: (chunk) => (said += chunk) });
  await vi.waitFor(() => expect(said).toContain("\n"), 20_000);
  const states = () => descendants(process.pid).map((pid) => stateOf(pid));
  const resume = await vi.waitFor(async () => {
    const go = await stopOthers();
    // A slow machine may have let them go on already.
    if (!states().includes("T")) {
      go();
      throw new Error("nothing was stopped");
    }
    return go;
  }, 20_000);
  resume();
  await vi.waitFor(() => expect(states()).not.toContain("T"), 20_000);
  ended.abort();
  expect((await run).stopped).toBe("aborted");
});

const statusOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
};
const fieldsOf = (pid: number) =>
  statusOf(pid)
    .slice(statusOf(pid).lastIndexOf(")") + 2)
    .split(" ");
const stateOf = (pid: number) => fieldsOf(pid)[0];
function descendants(root: number): number[] {
  const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const below = (pid: number): number[] => all.filter((one) => fieldsOf(one)[1] === String(pid)).flatMap((one) => [one, ...below(one)]);
  return below(root);
}
