import type { Facts } from "../../core/ports/facts.ts";
import type { PathTouch } from "../../core/touch.ts";
import { has, programName, readOptions } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import type { Understanding } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { commandPattern } from "./commands-pattern.ts";

export interface ConfirmReason {
  readonly pattern: string;
  readonly what: string;
}

/** What a pattern may know besides the command. */
export interface ConfirmWorld {
  readonly facts: Facts;
  /** Behind walls: places that are the command's own. Null where no walls stand. */
  readonly inside: readonly string[] | null;
}

type Pattern = (understanding: Understanding, command: string, world: ConfirmWorld) => string | null;

/** Compiles confirm_patterns. They are matched on the parsed commands; some of them are phrases with a meaning of their own. */
export function confirmations(
  patterns: readonly string[],
): (understanding: Understanding, command: string, world: ConfirmWorld) => ConfirmReason | null {
  const compiled = patterns.map((pattern): [string, Pattern] => [pattern, PHRASES[pattern.trim().toLowerCase()] ?? onCommands(pattern)]);
  return (understanding, command, world) => {
    for (const [pattern, matches] of compiled) {
      const what = matches(understanding, command, world);
      if (what !== null) return { pattern, what };
    }
    return null;
  };
}

function onCommands(pattern: string): Pattern {
  const matches = commandPattern(pattern);
  const forced = /^git\s+push\s+--force$/i.test(pattern.trim()) ? pushesByPlus : () => false;
  return ({ commands }) => commands.find((command) => matches(command) || forced(command))?.text ?? null;
}

/** `git push origin +main` forces without saying so. */
function pushesByPlus({ argv: [name, ...args] }: Understanding["commands"][number]): boolean {
  if (typeof name !== "string" || programName(name) !== "git") return false;
  const { verb, rest } = splitGit(args);
  return verb === "push" && rest.some((word) => word?.startsWith("+"));
}

const PHRASES: Record<string, Pattern> = {
  "drop table": drops(/\bdrop\s+table\b/i),
  "drop database": drops(/\bdrop\s+(database|schema)\b/i),
  rm: removesForGood,
  "writes outside the workspace": ({ touches }, _command, world) => {
    const hit = touches.find(
      (touch) => touch.kind === "path" && touch.access !== "read" && isOutside(touch.path, world.facts) && !isOwnPlace(touch.path, world),
    );
    return hit?.kind === "path" ? hit.path : null;
  },
};

const isRemoval = commandPattern("rm");
const makesLinks = commandPattern("ln");

/** A single file that is kept before it goes can be put back, and what the command makes for itself is nobody's loss. Anything else cannot. */
function removesForGood({ commands, touches }: Understanding, _command: string, world: ConfirmWorld): string | null {
  const { facts, inside } = world;
  const removals = commands.filter(isRemoval);
  if (removals.length === 0) return null;
  const gone = touches.filter((touch): touch is PathTouch => touch.kind === "path" && touch.access === "delete");
  const isOwn = ({ path }: PathTouch) => isOwnPlace(path, world);
  const isKept = (touch: PathTouch) => isOwn(touch) || facts.wouldKeep?.(touch) === true;
  // What is linked first goes by a name that nothing has yet.
  const canReturn = inside !== null && gone.every(isKept) && !commands.some(makesLinks);
  const lost = removals.find(({ argv: [, ...args], where }) => {
    const read = readOptions(args);
    const isTree = has(read, "-r", "-R", "--recursive") && !gone.every(isOwn);
    // What find hands over is not named in the command.
    return !canReturn || isTree || read.operands.includes(null) || /\bfind\b/.test(where.inside);
  });
  return lost?.text ?? null;
}

/** Behind walls a command has a folder for temporary files and a home of its own. The workspace may lie there too, and is not. */
function isOwnPlace(path: string, { facts, inside }: ConfirmWorld): boolean {
  if (path.includes("/../") || !inside?.some((place) => path === place || path.startsWith(`${place}/`))) return false;
  return (
    path.startsWith("~") ||
    !isWithin(
      facts.cwd,
      attempt(() => facts.entry(path), facts.cwd),
    )
  );
}

const DATABASES =
  /^(psql|mysql|mariadb|sqlite3|sqlcmd|sqlplus|duckdb|clickhouse(-client)?|cockroach|pgcli|mycli|litecli|usql|bq|prisma|dropdb|dbcli)$/;

/** Only where a database can hear it: `grep -rn "drop table"` is a search. */
function drops(phrase: RegExp): Pattern {
  return ({ commands }, command) => {
    const hears = commands.some(({ argv: [name] }) => typeof name === "string" && DATABASES.test(programName(name)));
    return hears && phrase.test(command) ? command : null;
  };
}

/** Neither below the working directory nor in /tmp, links followed. What cannot be told is outside. */
export function isOutside(path: string, facts: Facts): boolean {
  if (/^~[^/]/.test(path)) return true;
  const real = attempt(() => facts.canonical(beforeGlob(path)), null);
  return real === null || (!isWithin(facts.cwd, real) && !isWithin("/tmp", real));
}

/** `src/*.ts` is somewhere in `src`. */
function beforeGlob(path: string): string {
  const glob = path.search(/[*?[]/);
  if (glob === -1) return path;
  return path.slice(0, path.lastIndexOf("/", glob) + 1) || ".";
}
