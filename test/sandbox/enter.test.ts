import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { LAUNCHER } from "../../src/host/sandbox/backends/landlock-launcher.ts";
import { PERL } from "../../src/host/sandbox/backends/perl.ts";
import { archOf, numberOf } from "../../src/host/sandbox/backends/syscalls.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import { stopOthers } from "../../src/host/sandbox/stop-others.ts";
import { BWRAP } from "./bwrap.ts";
import { available, BWRAPS, EVERYBODY, inside, policyIn, wallsFor, who } from "./support.ts";

const RUNNER = join(import.meta.dirname, `../../vendor/zeph-run-linux-${process.arch}`);
const CHANGED = 126;

function place(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "zeph-enter-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const name of ["mask", "folder", "other"]) mkdirSync(join(path, name));
  writeFileSync(join(path, "file"), "");
  return path;
}
const idOf = (path: string) => {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
};
const SYSTEM = [
  "--ro-bind",
  "/usr",
  "/usr",
  "--symlink",
  "usr/bin",
  "/bin",
  "--symlink",
  "usr/lib",
  "/lib",
  "--symlink",
  "usr/lib64",
  "/lib64",
];

describe.runIf(available)("the list of mounts behind bubblewrap", () => {
  interface Row {
    readonly what: string;
    /** What bubblewrap mounts besides. */
    readonly mounts?: (at: string) => string[];
    /** The list; `usual` is right. */
    readonly records?: (usual: readonly string[], at: string) => readonly string[];
    readonly code: number;
  }
  const swap = (from: string, to: (at: string) => string) => (usual: readonly string[], at: string) => {
    expect(usual.some((record) => record.startsWith(from))).toBe(true);
    return [...usual.filter((record) => !record.startsWith(from)), to(at)];
  };
  const rows: readonly Row[] = [
    { what: "is as it was judged", code: 0 },
    { what: "has a mount that is not listed", mounts: (at) => ["--bind", `${at}/other`, "/w/other"], code: CHANGED },
    { what: "has one mount too few where one must be", records: (usual) => [...usual, "ONE /w/folder"], code: CHANGED },
    { what: "has two mounts where one may be", mounts: () => ["--tmpfs", "/w/mask"], code: CHANGED },
    { what: "lacks a mount that may be there", records: (usual) => [...usual, "ANY /w/nowhere"], code: 0 },
    { what: "names another folder", records: swap("FOLDER", (at) => `FOLDER ${idOf(`${at}/other`)} /w/folder`), code: CHANGED },
    { what: "names another place", records: swap("WRITABLE", (at) => `WRITABLE ${idOf(`${at}/other`)} /w`), code: CHANGED },
    { what: "wants a place closed that is open", records: swap("WRITABLE", (at) => `READONLY ${idOf(at)} /w`), code: CHANGED },
    {
      what: "names another folder of a file",
      records: swap("READONLY", (at) => `READONLY ${idOf(`${at}/file`)}:${idOf(`${at}/other`)} /w/file`),
      code: CHANGED,
    },
    {
      what: "says that a folder is a mount",
      records: (usual, at) => [...usual, `WRITABLE ${idOf(`${at}/folder`)} /w/folder`],
      code: CHANGED,
    },
    {
      what: "has a disk where the kernel's own may be",
      mounts: (at) => ["--bind", `${at}/other`, "/w/other"],
      records: (usual) => [...usual, "BELOW /w/other"],
      code: CHANGED,
    },
  ];
  test.each(rows.map((row) => [row.what, row] as const))("%s", (_what, { mounts = () => [], records = (usual) => usual, code }) => {
    const at = place();
    const usual = [
      ...["ANY /", "ANY /usr", "ANY /zeph-run", "BELOW /proc", "ONE /w/mask"],
      `WRITABLE ${idOf(at)} /w`,
      `READONLY ${idOf(`${at}/file`)}:${idOf(at)} /w/file`,
      `FOLDER ${idOf(`${at}/folder`)} /w/folder`,
    ];
    const list = join(at, "list");
    writeFileSync(
      list,
      records(usual, at)
        .map((record) => `${record}\0`)
        .join(""),
    );
    const fd = openSync(list, "r");
    const line = [
      ...["--unshare-user", "--unshare-pid", ...SYSTEM, "--proc", "/proc", "--ro-bind", RUNNER, "/zeph-run", "--bind", at, "/w"],
      ...["--ro-bind", `${at}/file`, "/w/file", "--tmpfs", "/w/mask", ...mounts(at)],
      ...["/zeph-run", "enter", "MOUNTS:10", "--", "/bin/echo", "RAN"],
    ];
    const { status, stdout, stderr } = spawnSync(BWRAP, line, {
      stdio: ["ignore", "pipe", "pipe", ...Array(7).fill("ignore"), fd],
      encoding: "utf8",
    });
    closeSync(fd);
    expect({ status, stdout, stderr }).toEqual({ status: code, stdout: code === 0 ? "RAN\n" : "", stderr: expect.any(String) });
  });
});

describe.runIf(available)("the words of the builder", () => {
  const build = (...words: string[]) =>
    spawnSync(
      RUNNER,
      ["build", "--unshare-user", ...SYSTEM, ...words, "--", "/bin/sh", "-c", "echo RAN; echo x > /w/mask/new && echo OPEN"],
      { encoding: "utf8" },
    );

  test("--no-links refuses a source that is a link", () => {
    const at = place();
    symlinkSync("folder", join(at, "link"));
    expect(build("--bind", join(at, "link"), "/w")).toMatchObject({ status: 2, stdout: "RAN\n" });
    expect(build("--no-links", "--bind", join(at, "link"), "/w")).toMatchObject({ status: CHANGED, stdout: "" });
    expect(build("--no-links", "--bind", at, "/w")).toMatchObject({ status: 0, stdout: "RAN\nOPEN\n" });
  });

  test("a folder that is closed at once is mounted closed", () => {
    const at = place();
    expect(build("--bind", at, "/w", "--tmpfs", "/w/mask")).toMatchObject({ status: 0, stdout: "RAN\nOPEN\n" });
    expect(build("--bind", at, "/w", "--tmpfs", "/w/mask", "--remount-ro", "/w/mask")).toMatchObject({
      stdout: "RAN\n",
      stderr: expect.stringContaining("Read-only"),
    });
  });
});

describe.runIf(available)("behind bubblewrap", () => {
  const me = who(EVERYBODY[0]!);
  afterAll(() => me.remove());

  test.each([
    ["kill -USR1 1"],
    // SI_QUEUE with the pid 0, as if it came from outside.
    [
      `perl -e 'my $told = pack("l4 l2 x104", 10, 0, -1, 0, 0, 0); syscall(${archOf(process.arch) === "arm64" ? 138 : 129}, 1, 10, $told) == 0 or die $!'`,
    ],
  ])("a command cannot have everything stopped: %s", async (send) => {
    const cwd = me.workspace();
    const sandbox = await wallsFor(policyIn(cwd, me), me, BWRAPS);
    const { out, ran } = await inside(cwd, me, `exec 2>&1; sleep 60 & ${send}; for n in 1 2 3 4 5; do /bin/true; done; kill $!; echo on`, {
      sandbox,
    });
    expect({ out, ran }).toEqual({ out: "on\n", ran: true });
  });

  test.each([["its pid"], ["that it is ready"]])(
    "a command that is being started when the others are stopped is stopped too, where %s is told first",
    async (first) => {
      const cwd = me.workspace();
      const policy = policyIn(cwd, me);
      const sandbox = await wallsFor(policy, me, BWRAPS);
      const line = launch(sandbox, policy, ["/bin/sleep", "60"], { user: me.user });
      let told = "";
      // Both pipes are heard, and one of them is told of when the other has been.
      const heard: Record<string, string> = {};
      const pass = () => {
        if (!heard.report?.includes("child-pid") || !heard.inside?.includes("ready")) return;
        const parts = [() => line.onReport(take("report")), () => line.onInside(take("inside"))];
        for (const part of first === "its pid" ? parts : parts.reverse()) part();
      };
      const take = (name: "report" | "inside") => {
        const text = heard[name]!.slice(passed[name]);
        passed[name] += text.length;
        return text;
      };
      const passed = { report: 0, inside: 0 };
      const onReport = (text: string) => {
        heard.report = (heard.report ?? "") + text;
        pass();
      };
      const onInside = (text: string) => {
        told += text;
        heard.inside = (heard.inside ?? "") + text;
        pass();
      };
      // No timer lets it go on.
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      const resume = await stopOthers();
      vi.useRealTimers();
      const ended = new AbortController();
      const run = runLaunch({ ...line, onReport, onInside }, { timeoutMs: 60_000, signal: ended.signal, onOutput: () => {} });
      await vi.waitFor(() => expect(told).toContain('"stopped"'), 20_000);
      resume();
      ended.abort();
      expect((await run).stopped).toBe("aborted");
    },
  );
});

const arch = archOf(process.arch);
test.runIf(available)("Landlock compares where openat2 is not known, too", () => {
  const at = place();
  symlinkSync("folder", join(at, "link"));
  const calls = [
    "landlock_create_ruleset",
    "landlock_add_rule",
    "landlock_restrict_self",
    "openat",
    "openat2",
    "close",
    "prctl",
    "capset",
  ] as const;
  // The kernel knows no call with this number, so it says ENOSYS.
  const numbers = calls.map((name) => (name === "openat2" ? 9999 : numberOf(name, arch!))).join(",");
  const run = (mark: string, path: string) =>
    spawnSync(
      PERL,
      [
        "-e",
        LAUNCHER,
        numbers,
        "FILES",
        "RO::/usr",
        "RO::/lib",
        "RO::/lib64",
        "RO::/bin",
        `RW:${mark}:${path}`,
        "--",
        "/bin/sh",
        "-c",
        `echo RAN; echo x > ${at}/folder/x`,
      ],
      {
        env: {},
        encoding: "utf8",
      },
    );
  if (/no Landlock/.test(run(idOf(at), at).stderr)) return;
  expect(run(idOf(`${at}/folder`), `${at}/folder`)).toMatchObject({ status: 0, stdout: "RAN\n" });
  for (const [mark, path] of [
    [idOf(`${at}/other`), `${at}/folder`],
    [idOf(`${at}/folder`), `${at}/link`],
    [idOf(`${at}/folder`), `${at}/missing`],
  ] as const)
    expect(run(mark, path)).toMatchObject({ stdout: "", stderr: expect.stringContaining("no longer what it was") });
});

test("more than a thousand folders above protected files are told of", () => {
  const me = who(EVERYBODY[0]!);
  onTestFinished(me.remove);
  const cwd = me.workspace();
  for (let n = 0; n < 200; n++) {
    mkdirSync(join(cwd, `a${n}/b/c/d/e/g/.vscode`), { recursive: true });
    writeFileSync(join(cwd, `a${n}/b/c/d/e/g/.vscode/tasks.json`), "{}");
  }
  if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, cwd]);
  const { protect, warnings } = policyIn(cwd, me);
  expect(protect.pinned).toHaveLength(1000);
  expect(warnings.join("\n")).toMatch(/\d{3} folders above protected files are not held: a command could rename them\./);
});
