import { findSafeProgram, runProgramNow } from "../../../files/programs.ts";
import { attempt } from "../../../text/attempt.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type DoctorFinding, failLine, okLine, warnLine } from "./finding.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const OLDEST_NODE = [20, 19] as const;

export function findNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isNew) return okLine("node", version);
  return failLine("node", `${version} is older than ${OLDEST_NODE.join(".")}`, "Install a newer Node.");
}

/** What the screen needs: a terminal, UTF-8, colours, and room. */
export function findTerminal({ stdin, stdout, out }: Terminal, env: Variables): DoctorFinding {
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    return okLine("terminal", "none here: this runs in a pipe, and so would a chat (the tool console)");
  const { columns, rows } = stdout;
  const words = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  const facts = [
    `TERM=${env.TERM ?? ""}`,
    `${columns} × ${rows}`,
    out.isColorSupported ? "colours" : "no colours",
    ...(env.TMUX ? ["inside tmux"] : []),
  ].join(", ");
  if (env.TERM === "dumb" || !env.TERM)
    return warnLine("terminal", facts, "It cannot move its cursor, so Zeph prints plain lines. Set TERM to what your terminal is.");
  if (!/utf-?8/i.test(words))
    return warnLine("terminal", `${facts}, no UTF-8`, "Signs are drawn in ASCII. Set LANG to one that ends in .UTF-8, such as C.UTF-8.");
  if (columns < 60) return warnLine("terminal", facts, "Make the window at least 60 columns wide.");
  return okLine("terminal", `${facts}, UTF-8`);
}

/** Zeph works without git; branches, `git diff` and ignored files are what it is for. */
export function findGit(cwd: string): readonly DoctorFinding[] {
  const found = findSafeProgram("git");
  const version = git(cwd, ["--version"]);
  if (version === null)
    return [
      warnLine("git", "why" in found ? found.why : "not found", "Install git; without it there are no branches, diffs and ignored files."),
    ];
  const words = version.replace(/^git version /, "");
  const isInside = git(cwd, ["rev-parse", "--is-inside-work-tree"]) === "true";
  const place = isInside
    ? okLine("git", `${words}, this folder is in a repository`)
    : warnLine("git", `${words}, this folder is in no repository`, "Run git init here: then every change can be seen and taken back.");
  const lacks = ["user.name", "user.email"].filter((name) => !git(cwd, ["config", "--get", name]));
  if (lacks.length === 0) return [place];
  return [place, warnLine("git", `${lacks.join(" and ")} not set: a commit would fail`, `Run: git config --global ${lacks[0]} "…"`)];
}

const LONGEST_MS = 5000;

function git(cwd: string, args: readonly string[]): string | null {
  const how = { cwd, env: process.env, timeout: LONGEST_MS, stdio: ["ignore", "pipe", "ignore"] } as const;
  return attempt(() => runProgramNow("git", args, { ...how, stdio: [...how.stdio] }).trim(), null);
}
