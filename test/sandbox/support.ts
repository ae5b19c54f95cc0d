import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WallsBuilder } from "../../src/core/ports/walls.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import type { CommandLimits } from "../../src/host/sandbox/limits.ts";
import { type Policy, policyFor, type Setting } from "../../src/host/sandbox/policy.ts";
import { probe } from "../../src/host/sandbox/probe.ts";
import { type LaunchResult, runLaunch } from "../../src/host/sandbox/run.ts";
import type { Sandbox } from "../../src/host/sandbox/sandbox.ts";
import type { FindShipped } from "../../src/host/sandbox/shipped.ts";
import type { OtherUser } from "../../src/host/sandbox/user.ts";

/** Secret of the process that runs the tests: no command may see it. */
process.env.ZEPH_TEST_API_KEY = "CANARY-PARENT";

export const isRoot = process.getuid?.() === 0;
/** Root of a container may not mount, unless it was started with that right. */
export const canMount = isRoot && hasRight(21);
/** An id nobody has: no account is made. */
const STRANGER = 61_234;

/** Who runs the commands, with a home and a workspace that is a small repository. */
export interface Who {
  readonly name: "root" | "user";
  readonly user: OtherUser | undefined;
  readonly base: string;
  readonly home: string;
  readonly template: string;
  /** Reachable for this user by file mode, so only the walls hide it. */
  readonly outside: string;
  /** A fresh copy of the template. */
  workspace(): string;
  remove(): void;
}

export function who(name: Who["name"]): Who {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `zeph-walls-${name}-`)));
  chmodSync(base, 0o755);
  const home = join(base, "home");
  const template = join(home, "template");
  const outside = join(base, "outside");
  mkdirSync(join(template, ".zeph"), { recursive: true });
  mkdirSync(join(outside, "tree"), { recursive: true });
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh", "id_test"), "CANARY-KEY\n");
  writeFileSync(join(outside, "secret"), "CANARY-HOST\n");
  writeFileSync(join(outside, "tree", "file"), "");
  writeFileSync(join(template, ".zeph", "config.toml"), "[tools.sandbox]\n");
  writeFileSync(join(template, "f"), "hi\n");
  const git = (...args: string[]) => execFileSync("git", ["-C", template, ...args], { env: { PATH: process.env.PATH, HOME: home } });
  git("init", "-q");
  git("config", "user.email", "a@example.org");
  git("config", "user.name", "n");
  mkdirSync(join(template, ".git", "hooks"), { recursive: true });
  git("add", "f");
  git("commit", "-qm", "x");
  const user = name === "user" && isRoot ? { name: "stranger", uid: STRANGER, gid: STRANGER, home } : undefined;
  if (user) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, base]);
  let copies = 0;
  return {
    name,
    user,
    base,
    home,
    template,
    outside,
    workspace: () => {
      const copy = join(home, `work${copies++}`);
      execFileSync("cp", ["-a", template, copy]);
      return copy;
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Whether this process has a capability, by its number in capabilities(7). */
function hasRight(number: number): boolean {
  const rights = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return ((BigInt(`0x${rights}`) >> BigInt(number)) & 1n) === 1n;
}

export interface Wish {
  readonly config?: object;
  readonly limits?: Partial<CommandLimits>;
  readonly timeoutMs?: number;
  readonly own?: readonly string[];
  /** The person's own programs and settings. */
  readonly day?: Setting["day"];
  /** Folders of skills. */
  readonly skills?: Setting["skills"];
  readonly change?: (policy: Policy) => Policy;
  readonly sandbox?: Sandbox;
  readonly signal?: AbortSignal;
  /** Told all that was printed so far. */
  readonly heard?: (out: string) => void;
  /** A command that is given something is started by Node, others by the launcher. */
  readonly stdin?: string;
  /** In place of the programs that Zeph brings along. */
  readonly shipped?: FindShipped;
}

/** Where Zeph's own builder cannot be used. */
export const BWRAPS: readonly WallsBuilder[] = ["system", "shipped"];
/** Both that build walls, by name. */
export const BUILDERS: readonly (readonly [string, readonly WallsBuilder[]])[] = [
  ["zeph-run", ["own"]],
  ["bubblewrap", BWRAPS],
];

/** As on a machine where those cannot be used: perl does what they do. */
export const NOTHING_SHIPPED: FindShipped = () => ({ why: "it was left out" });

export interface Did extends LaunchResult {
  readonly out: string;
}

export const policyIn = (
  cwd: string,
  { home, user }: Pick<Who, "home" | "user">,
  { config = {}, limits = {}, own = [], day, skills }: Wish = {},
): Policy =>
  policyFor(sandboxConfig().parse(config), {
    ...{ cwd, home, own, keys: [], allowedPaths: [], env: process.env, limits, runner: user },
    ...(day && { day }),
    ...(skills && { skills }),
  });

const found = new Map<string, Sandbox>();

/** What works here for this person. It does not change from workspace to workspace, and each look is a command by itself: test/sandbox/probe.test.ts looks at looking. */
export async function wallsFor({ network }: Policy, owner: Who, builders?: readonly WallsBuilder[]): Promise<Sandbox> {
  const key = `${owner.user?.uid} ${network} ${builders}`;
  const known = found.get(key);
  if (known) return known;
  const sandbox = await probe({ policy: { ...policyIn(owner.template, owner), network }, user: owner.user, ...(builders && { builders }) });
  if (sandbox.backend === "bubblewrap") found.set(key, sandbox);
  return sandbox;
}

/** One command through the real walls. Output is bounded. */
export async function inside(cwd: string, owner: Who, command: string, wish: Wish = {}): Promise<Did> {
  const made = policyIn(cwd, owner, wish);
  const policy = wish.change?.(made) ?? made;
  // Zeph's own builder is one of the programs that Zeph brings along.
  const sandbox = wish.sandbox ?? (await wallsFor(policy, owner, wish.shipped && BWRAPS));
  let out = "";
  const line = launch(sandbox, policy, ["/bin/bash", "--noprofile", "--norc", "-c", command], {
    user: owner.user,
    ...(wish.shipped && { shipped: wish.shipped }),
  });
  const ran = await runLaunch(line, {
    timeoutMs: wish.timeoutMs ?? 20_000,
    ...(wish.signal && { signal: wish.signal }),
    ...(wish.stdin !== undefined && { stdin: wish.stdin }),
    onOutput: (chunk) => {
      if (out.length < 100_000) out += chunk;
      wish.heard?.(out);
    },
  });
  return { ...ran, out };
}

/** Why the walls cannot be tested here; null when they can. REQUIRE_SANDBOX=1 makes that a failure. */
export async function whyNot(): Promise<string | null> {
  if (process.platform !== "linux") return `no Linux but ${process.platform}`;
  const me = who(isRoot ? "root" : "user");
  try {
    const { backend, walls } = await probe({ policy: policyIn(me.workspace(), me) });
    return backend === "bubblewrap" ? null : (walls.reason ?? backend);
  } finally {
    me.remove();
  }
}

const missing = await whyNot();
export const available = missing === null;
if (missing !== null) {
  console.log(`SKIPPED: the sandbox cannot be tested here: ${missing}`);
  test.runIf(process.env.REQUIRE_SANDBOX === "1")("REQUIRE_SANDBOX=1: a sandbox works here", () => expect(missing).toBeNull());
}

/** Root sees what an ordinary user cannot be shown, and the other way round: both where possible. */
export const EVERYBODY: readonly Who["name"][] = isRoot ? ["root", "user"] : ["user"];
if (available && !isRoot) console.log("SKIPPED: the rows as root, because this is no root.");

export const has = (program: string) => existsSync(program);
export const PYTHON = "/usr/bin/python3";
