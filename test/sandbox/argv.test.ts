import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bubblewrapArgs } from "../../src/host/sandbox/backends/bubblewrap.ts";
import { seatbeltProfile } from "../../src/host/sandbox/backends/seatbelt.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import type { Disk } from "../../src/host/sandbox/disk.ts";
import { DEFAULT_LIMITS, withLimits } from "../../src/host/sandbox/limits.ts";
import { policyFor } from "../../src/host/sandbox/policy.ts";
import type { Workday } from "../../src/host/workday/workday.ts";

/** A Debian with one repository. Folders end in a slash, links have a target. */
const TREE = [
  ...["/usr/", "/bin -> usr/bin", "/sbin -> usr/sbin", "/lib -> usr/lib", "/lib64 -> usr/lib64"],
  ...["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/localtime", "/etc/ld.so.cache", "/etc/ssl/certs/", "/etc/shadow"],
  ...[
    "/etc/resolv.conf -> /run/resolv.conf",
    "/run/resolv.conf",
    "/home/u/",
    "/home/u/.cargo/bin/",
    "/home/u/.pyenv/",
    "/home/u/.pyenv/bin/",
  ],
  ...["/data/", "/data/x/", "/home/u/p/", "/home/u/p/.git/", "/home/u/p/.git/hooks/", "/home/u/p/.git/config"],
  ...["/home/u/p/.zeph/", "/home/u/p/.mcp.json", "/home/u/p/src/"],
];

const disk: Disk = {
  kind: (path) => {
    const entry = TREE.find((line) => line.split(" -> ")[0]!.replace(/\/$/, "") === path);
    // The folders above what is listed are there as well.
    if (entry === undefined && TREE.some((line) => line.startsWith(path === "/" ? path : `${path}/`))) return "folder";
    return entry === undefined ? null : entry.includes(" -> ") ? "link" : entry.endsWith("/") ? "folder" : "file";
  },
  link: (path) => TREE.find((line) => line.startsWith(`${path} -> `))!.split(" -> ")[1]!,
  real: (path) => {
    const kind = disk.kind(path);
    return kind === "link" ? disk.link(path) : kind === null ? null : path;
  },
  isFolder: (path) => disk.kind(path) === "folder",
  rights: () => null,
  hidden: () => ({ places: [], unfinished: null }),
  twins: () => ({ paths: [], isComplete: true }),
  sweep: () => ({
    spots: [
      { path: "/home/u/p/.zeph", part: "frozen", kind: "folder" },
      { path: "/home/u/p/.mcp.json", part: "frozen", kind: "file" },
    ],
    gits: ["/home/u/p/.git"],
    bare: [],
    shut: [],
    unseen: [],
    folders: new Set<string>(),
    byteNames: new Map(),
    isComplete: true,
  }),
};

const SETTING = {
  cwd: "/home/u/p",
  home: "/home/u",
  own: ["/home/u/.config/zeph"],
  keys: [],
  allowedPaths: [],
  env: { TZ: "UTC", HOME: "/home/u", OPENAI_API_KEY: "sk", http_proxy: "http://proxy:3128", https_proxy: "http://me:pw@proxy:3128" },
};
const policy = (config: object) => policyFor(sandboxConfig().parse(config), SETTING, disk);

/** One option a line, as a person reads it. `UPDATE=1` rewrites. */
function golden(name: string, text: string): void {
  const file = join(import.meta.dirname, "golden", name);
  if (process.env.UPDATE) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}
const lines = (args: readonly string[]) => `${args.join(" ").replace(/ (?=--)/g, "\n")}\n`;

test("the line with default settings", () => golden("default.txt", lines(bubblewrapArgs(policy({}), undefined, disk))));

test("the line with every setting used", () => {
  const config = {
    allow_network: true,
    allow_read: ["/data", "/data/x"],
    allow_write: ["src", "."],
    toolchains: ["~/.cargo/bin", "~/.pyenv"],
  };
  golden("open.txt", lines(bubblewrapArgs(policy(config), undefined, disk)));
});

test("the line for an older bwrap is a golden text", () => {
  const old = ["--disable-userns", "--size", "--perms"];
  const args = bubblewrapArgs(policy({}), (option) => !old.includes(option), disk);
  expect(args.filter((arg) => old.includes(arg))).toEqual([]);
  expect(lines(args)).toBe(lines(bubblewrapArgs(policy({}), undefined, disk)).replace(/^--(?:disable-userns|size \d+|perms \d+)\n/gm, ""));
});

test("the limits inside", () =>
  expect(withLimits("/usr/bin/prlimit", DEFAULT_LIMITS, ["bash"]).join(" ")).toBe(
    "/usr/bin/prlimit --nproc=512 --nofile=4096 --core=0 --fsize=2147483648 --data=4294967296 -- bash",
  ));

test("the macOS profile, closed and open", () => {
  golden("closed.sb", seatbeltProfile(policy({}), "/private/var/folders/t/zeph/tmp"));
  golden("open.sb", seatbeltProfile(policy({ allow_network: true, allow_read: ["/data"] }), "/private/var/folders/t/zeph/tmp"));
});

/** A worktree whose repository lies beside it, with programs below home, settings, a cache and the session's /tmp. */
const DAY: Workday = {
  path: ["/home/u/.cargo/bin", "/usr/bin"],
  read: ["/home/u/.cargo/bin"],
  refused: [],
  files: [["/tmp/zeph-day/gitconfig", "/home/agent/.gitconfig"]],
  variables: { RUSTUP_HOME: "/home/u/.rustup" },
  cache: { cache: "/home/u/.cache/zeph/workspaces/1/cache", pnpm: "/home/u/.cache/zeph/workspaces/1/pnpm" },
  temp: () => "/var/tmp/zeph-temp",
  repository: { top: null, folders: ["/data/x"], thawed: ["/data/x/worktrees/p"] },
  masked: [],
  isSigning: false,
};

test("the line and the macOS profile of a working day are golden texts", () => {
  const more = ["/data/x/hooks/", "/data/x/config", "/data/x/worktrees/", "/data/x/worktrees/p/", "/data/x/worktrees/p/commondir"];
  TREE.push(...more);
  onTestFinished(() => void TREE.splice(-more.length));
  const made = policyFor(sandboxConfig().parse({}), { ...SETTING, day: { look: () => DAY } }, disk);
  golden("day.txt", lines(bubblewrapArgs(made, undefined, disk)));
  golden("day.sb", seatbeltProfile(made, "/private/var/folders/t/zeph/tmp"));
});

test("a path cannot write rules of its own into the profile", () => {
  const evil = '/x"))(allow default)(deny file-read* (subpath "\\';
  const profile = seatbeltProfile({ ...policy({}), read: [evil] }, "/t");
  expect(profile).toContain('(subpath "/x\\"))(allow default)(deny file-read* (subpath \\"\\\\")');
});
