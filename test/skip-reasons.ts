import { readFileSync } from "node:fs";

const ROOT = "it needs an ordinary user, and this is root";
const USER = "it needs root, and this is an ordinary user";
const WALLS = "it needs walls, and no builder of walls works here (`zeph doctor` says why)";
const LANDLOCK = "it needs Landlock (Linux 5.13 or newer, and perl)";
const PYTHON = "it needs /usr/bin/python3";
const TERMINAL = "it needs a terminal made by the program script (package bsdutils or util-linux)";
const PEERS = "it needs the programs of test/peers (npm ci --prefix test/peers/packages)";
const SYSTEM = "it needs another operating system";

/** Why a test is skipped, by the condition its `skipIf` or `runIf` is given. A condition without a reason fails test/layout.test.ts. */
export const REASONS: Readonly<Record<string, string>> = {
  available: WALLS,
  isRoot: USER,
  "hasLayers(me)": "it needs root with the right to mount, which a container leaves out",
  canMount: "it needs root with the right to mount, which a container leaves out",
  hasTerminal: TERMINAL,
  hasPostgres: "it needs PostgreSQL 15 or newer (apt-get install postgresql-15)",
  isSkipped: "it needs PostgreSQL or a NATS server (apt-get install postgresql-15 nats-server)",
  hasNats: "it needs a NATS server (apt-get install nats-server)",
  hasChromium: "it needs a browser (apt-get install chromium)",
  hasTmux: "it needs a real terminal emulator (package tmux)",
  hasPython: PYTHON,
  "has(PYTHON)": PYTHON,
  landlock: LANDLOCK,
  hasLandlock: LANDLOCK,
  havePeers: PEERS,
  'backend === "none"': WALLS,
  isLinux: SYSTEM,
  hasLauncher: "it needs Linux on x64 or arm64, which zeph-run was made for",
  'process.platform === "linux"': SYSTEM,
  'process.platform === "win32"': SYSTEM,
  'process.platform !== "linux"': SYSTEM,
  "process.getuid?.() === 0": ROOT,
  "process.getuid?.() !== 0": ROOT,
  'existsSync("/usr/bin/gcc")': "it needs gcc and the kernel's headers",
  "existsSync(header)": "it needs gcc and the kernel's headers",
  'existsSync("/dev/full")': "it needs /dev/full",
  'existsSync("/proc/self/status")': "it needs /proc",
  'existsSync("/usr/bin/setpriv")': "it needs setpriv (package util-linux)",
  "uid === undefined": USER,
  "canRun(uid)": "it needs another user who can reach this folder",
  tiocsti: "this kernel lets nobody type into a terminal",
  mounted: "it needs a small disk of its own, which only root can mount",
  'isThere("zsh")': "it needs zsh",
  'isThere("fish")': "it needs fish",
  'isThere("cargo")': "it needs cargo",
  'isThere("mypy")': "it needs mypy",
  'isThere("go")': "it needs go",
  'isThere("gcc")': "it needs gcc",
  "process.env.SCORES": "it prints scores, and only with SCORES=1",
  'process.env.REQUIRE_SANDBOX === "1"': "it holds only where REQUIRE_SANDBOX=1 says that the walls must work",
};

const CONDITION = /\b(?:skipIf|runIf)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

/** Every condition of a test file, with its line and the parts it is made of. */
export function findConditions(text: string): { readonly line: number; readonly parts: readonly string[] }[] {
  return [...text.matchAll(CONDITION)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    parts: match[1]!.split(/&&|\|\|/).map((part) => part.trim().replace(/^!/, "")),
  }));
}

/** What is said about a skipped test that stands at this line; the nearest condition above counts, as it is its own or its group's. */
export function reasonAt(file: string, line: number): string {
  const conditions = findConditions(readFileSync(file, "utf8")).filter((condition) => condition.line <= line);
  const reasons = (conditions.at(-1)?.parts ?? []).map((part) => REASONS[part]).filter(Boolean);
  return [...new Set(reasons)].join("; or ") || "it was not among the tests that were chosen";
}
