import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { NEVER } from "../../src/core/tool.ts";
import { holdPlaces, PlaceChanged } from "../../src/host/sandbox/held-places.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import type { Policy } from "../../src/host/sandbox/policy.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import { openRehearsal } from "../../src/host/shell/rehearsal/rehearsal.ts";
import { available, BUILDERS, canMount, EVERYBODY, inside, isRoot, policyIn, type Who, wallsFor, who } from "./support.ts";

interface Tried {
  readonly out: string;
  readonly changes: string[];
  readonly isComplete: boolean;
  readonly notes: readonly string[];
}

const COPY = async () => null;
const WAYS = [
  ["layers", undefined],
  ["copies", COPY],
] as const;

async function tried(
  me: Who,
  roots: readonly string[],
  command: string,
  { open, touched = [] }: { open?: typeof COPY | undefined; touched?: string[] } = {},
): Promise<Tried> {
  const rehearsal = await openRehearsal({ roots, user: me.user, touched, signal: NEVER, ...(open && { open }) });
  try {
    const config = { allow_write: roots };
    const { out } = await inside(roots[0]!, me, command, { config, change: (policy) => rehearsal.walls(policy) });
    const { list, isComplete } = await rehearsal.changes();
    const changes = list.map(
      ({ kind, path, detail }) =>
        `${kind} ${path.startsWith(`${roots[0]}/`) ? path.slice(roots[0]!.length + 1) : path}${detail ? ` (${detail})` : ""}`,
    );
    return { out, changes, isComplete, notes: rehearsal.notes };
  } finally {
    rehearsal.drop();
  }
}

const as = (me: Who, cwd: string, command: string) =>
  execFileSync("/bin/bash", ["-c", command], {
    cwd,
    ...(me.user && { uid: me.user.uid, gid: me.user.gid }),
    env: { PATH: process.env.PATH },
  });
/** Root mounts a layer with its own rights; anybody else in a user namespace. Without either, a dry run works on a copy. */
const hasLayers = ({ user }: Who) => user !== undefined || !isRoot || canMount;
const temporary = () =>
  [tmpdir(), "/dev/shm"]
    .flatMap((base) => (existsSync(base) ? readdirSync(base) : []))
    .filter((name) => name.startsWith("zeph-rehearsal-"));

describe.runIf(available).each(EVERYBODY)("as %s", (name) => {
  const me = who(name);
  afterAll(() => me.remove());

  describe.each(WAYS)("on %s", (_way, open) => {
    test("A command that does nothing changes nothing, whatever the times of the files are", async () => {
      const cwd = me.workspace();
      as(me, cwd, "mkdir -p a/b; echo x > a/b/c; touch -d '2001-01-01 00:00:00.999999999' f; ln -s f l");
      expect(await tried(me, [cwd], "true", { open })).toMatchObject({ changes: [], isComplete: true });
      expect(await tried(me, [cwd], "touch f a/b/c a; : >> f; cat f > g; rm g", { open })).toMatchObject({ changes: [] });
    });

    test("Everything it would do is told, and nothing of it is done", async () => {
      const cwd = me.workspace();
      as(
        me,
        cwd,
        `mkdir -p gone/deep again/old; echo 1 > gone/deep/x; echo 2 > again/old/y; echo 3 > again/z; ln -s f link; echo m > mode; printf n > "$(printf 'caf\\351')"; : > "$(printf 'new\\nline')"`,
      );
      const before = as(me, cwd, "find . -print0 | sort -z | xargs -0 ls -ld --time-style=full-iso; cat f again/z");
      const command = `echo more >> f; rm -r gone; rm -r again; mkdir again; echo 3 > again/z; echo new > again/n; ln -sf mode link; chmod 755 mode
        mv caf* moved; rm new*; mkdir empty; mkdir shut; echo s > shut/s; chmod 0 shut/s shut; echo q > "$(printf 'q\\377')"; mkdir -p d1/d2; mv d1 d3`;
      const { changes, isComplete } = await tried(me, [cwd], command, { open });
      expect(changes).toEqual([
        "created again/n",
        "deleted again/old/y",
        "deleted caf\\xe9",
        "created d3/d2",
        "created empty",
        "changed f",
        "deleted gone/deep/x",
        "changed link",
        "changed mode (mode 644 → 755)",
        "created moved",
        "deleted new\\x0aline",
        "created q\\xff",
        "created shut/s",
      ]);
      expect(isComplete).toBe(true);
      expect(String(as(me, cwd, "find . -print0 | sort -z | xargs -0 ls -ld --time-style=full-iso; cat f again/z"))).toBe(String(before));
      expect(temporary()).toEqual([]);
    });

    test("The walls are those of any command: what is frozen stays frozen, and no folder outside is seen", async () => {
      const cwd = me.workspace();
      const { out, changes } = await tried(
        me,
        [cwd],
        `echo x >> .zeph/config.toml && echo ESCAPED; echo x > .git/hooks/pre-commit && echo ESCAPED; ls ${me.outside} && echo ESCAPED
         for fd in /proc/self/fd/*; do ls "$fd/" && echo ESCAPED; done 2>/dev/null; grep -E '^(CapEff|Seccomp|NoNewPrivs)' /proc/self/status; id -u; git status --short; echo end`,
        { open },
      );
      expect(out).not.toContain("ESCAPED");
      expect(out).toMatch(/CapEff:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n/);
      expect(out).toContain(`\n${me.user?.uid ?? process.getuid!()}\n`);
      expect(out).toMatch(/^end$/m);
      expect(changes.filter((change) => !change.includes(".git/"))).toEqual([]);
    });

    test("A file that nobody may read is hidden here too", async () => {
      const cwd = me.workspace();
      as(me, cwd, "mkdir d; echo SECRET > d/.env");
      const rehearsal = await openRehearsal({ roots: [cwd], user: me.user, touched: [], signal: NEVER, ...(open && { open }) });
      const hidden = { places: [{ path: join(cwd, "d/.env"), kind: "file" as const }] };
      const change = (policy: Policy) => ({
        ...rehearsal.walls(policy),
        hidden: { ...policy.hidden, ...hidden } as NonNullable<Policy["hidden"]>,
      });
      const sandbox = await wallsFor(policyIn(cwd, me), me);
      const { out } = await inside(cwd, me, "cat d/.env; cp d/.env x; cat x; rm -f d/.env; echo end", { sandbox, change });
      const { list } = await rehearsal.changes();
      rehearsal.drop();
      expect(out).toMatch(/^end$/m);
      expect(`${out} ${JSON.stringify(list)}`).not.toContain("SECRET");
    });

    test("Several folders and single files are tried together", async () => {
      const [cwd, second] = [me.workspace(), me.workspace()];
      const file = join(me.home, `single-${_way}`);
      writeFileSync(file, "one\n");
      if (me.user) chownSync(file, me.user.uid, me.user.gid);
      const { changes } = await tried(me, [cwd, second, file], `echo a > a; echo b > ${second}/b; echo two >> ${file}`, { open });
      expect(changes.sort()).toEqual([`changed ${file}`, `created ${second}/b`, "created a"].sort());
      expect([existsSync(join(cwd, "a")), existsSync(join(second, "b")), readFileSync(file, "utf8")]).toEqual([false, false, "one\n"]);
    });
  });

  test.runIf(isRoot)("What belongs to a group that is not the user's own is changed as it would be here", async () => {
    const cwd = me.workspace();
    as(me, cwd, "mkdir d; echo one > d/f; echo one > g");
    for (const name of [".", "d", "d/f", "g"]) chownSync(join(cwd, name), me.user?.uid ?? 0, 12345);
    const { out, changes } = await tried(me, [cwd], "echo two > d/f; chmod 700 d; rm g");
    expect(out).not.toContain("too large");
    expect(changes.sort()).toEqual(["changed d (mode 755 → 700)", "changed d/f", "deleted g"]);
    expect(readFileSync(join(cwd, "d/f"), "utf8")).toBe("one\n");
  });

  test.runIf(hasLayers(me))("A workspace that was swapped for a link before it was held is not followed", async () => {
    const cwd = me.workspace();
    const rehearsal = await openRehearsal({ roots: [cwd], user: me.user, touched: [], signal: NEVER });
    const policy = rehearsal.walls(policyIn(cwd, me));
    renameSync(cwd, `${cwd}-away`);
    symlinkSync(me.outside, cwd);
    expect(() => holdPlaces(policy)).toThrow(PlaceChanged);
    rehearsal.drop();
  });

  /** What another program does in the folder below the layer, between the judgement and the walls. */
  const swaps: readonly (readonly [string, (cwd: string) => void])[] = [
    [
      "the workspace is a link",
      (cwd) => {
        renameSync(cwd, `${cwd}-away`);
        symlinkSync(me.outside, cwd);
      },
    ],
    [
      "the folder above a hidden file is another one",
      (cwd) => {
        renameSync(join(cwd, "d"), join(cwd, "x"));
        renameSync(join(cwd, "e"), join(cwd, "d"));
      },
    ],
    [
      "the folder above a hidden file is another one, which holds the same file",
      (cwd) => {
        rmSync(join(cwd, "e/.env"));
        linkSync(join(cwd, "d/.env"), join(cwd, "e/.env"));
        renameSync(join(cwd, "d"), join(cwd, "x"));
        renameSync(join(cwd, "e"), join(cwd, "d"));
      },
    ],
    [
      "the folder above a frozen folder is another one",
      (cwd) => {
        renameSync(join(cwd, "k"), join(cwd, "x"));
        mkdirSync(join(cwd, "k/.vscode"), { recursive: true });
        writeFileSync(join(cwd, "k/.vscode/tasks.json"), "{}");
      },
    ],
    [
      "the folder where it starts is another one",
      (cwd) => {
        renameSync(join(cwd, "g"), join(cwd, "x"));
        mkdirSync(join(cwd, "g"));
      },
    ],
  ];
  test
    .runIf(hasLayers(me))
    .each(BUILDERS.flatMap(([which, builders]) => swaps.map(([what, swap]) => [which, what, builders, swap] as const)))(
    "%s starts nothing on a layer where %s",
    async (_which, _what, builders, swap) => {
      const cwd = me.workspace();
      as(me, cwd, "mkdir -p d e k/.vscode g; echo {} > k/.vscode/tasks.json; echo SECRET > d/.env; echo other > e/.env");
      const rehearsal = await openRehearsal({ roots: [cwd], user: me.user, touched: [], signal: NEVER });
      onTestFinished(rehearsal.drop);
      const judged = policyIn(cwd, me);
      const policy: Policy = {
        ...rehearsal.walls({ ...judged, cwd: join(cwd, "g") }),
        hidden: { places: [{ path: join(cwd, "d/.env"), kind: "file" }], unfinished: null },
      };
      expect(policy.overlay).toBeDefined();
      const sandbox = await wallsFor(judged, me, builders);
      const start = async (meanwhile: () => void) => {
        const line = launch(sandbox, policy, ["/bin/bash", "-c", "pwd; echo RAN"], { user: me.user });
        meanwhile();
        let out = "";
        const { ran, changed } = await runLaunch(line, { timeoutMs: 20_000, onOutput: (chunk) => (out += chunk) });
        return { ran, changed, out };
      };
      expect(await start(() => {})).toEqual({ ran: true, changed: undefined, out: `${cwd}/g\nRAN\n` });
      expect(await start(() => swap(cwd))).toEqual({ ran: false, changed: true, out: expect.not.stringContaining("RAN") });
    },
  );

  test("A copy leaves out what git ignores, which stays readable, unless the command touches it", async () => {
    const cwd = me.workspace();
    as(me, cwd, "printf '/packages/\\n' > .gitignore; mkdir packages; echo p > packages/p");
    const command = "cat packages/p; echo x > packages/new; echo y > y";
    const left = await tried(me, [cwd], command, { open: COPY });
    expect(left.out).toMatch(/^p\n.*Read-only file system/);
    expect(left.changes).toEqual(["created y"]);
    expect(left.notes.join()).toContain(`${cwd}/packages is ignored by git`);
    const touched = await tried(me, [cwd], command, { open: COPY, touched: [join(cwd, "packages", "new")] });
    expect(touched.changes).toEqual(["created packages/new", "created y"]);
  });
});

test.runIf(available)(
  "A folder with too many files is refused before anything of it is copied",
  async () => {
    const me = who(EVERYBODY[0]!);
    const cwd = me.workspace();
    mkdirSync(join(cwd, "many"));
    execFileSync("/bin/bash", ["-c", "seq 1 51000 | xargs touch"], { cwd: join(cwd, "many") });
    await expect(openRehearsal({ roots: [cwd], user: me.user, touched: [], signal: NEVER, open: COPY })).rejects.toThrow(
      /more than 50,000 files/,
    );
    expect(temporary()).toEqual([]);
    me.remove();
    // 51,000 files are made.
  },
  120_000,
);
