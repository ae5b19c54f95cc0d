import type { Facts } from "../../core/ports/facts.ts";
import { programName } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import type { Understanding } from "../../shell/understanding.ts";
import { isWithin } from "../../text/path.ts";
import { commandPattern } from "./commands-pattern.ts";

export interface ConfirmReason {
  readonly pattern: string;
  readonly what: string;
}

type Pattern = (understanding: Understanding, command: string, facts: Facts) => string | null;

/** Compiles confirm_patterns. They are matched on the parsed commands; two of them are phrases with a meaning of their own. */
export function confirmations(
  patterns: readonly string[],
): (understanding: Understanding, command: string, facts: Facts) => ConfirmReason | null {
  const compiled = patterns.map((pattern): [string, Pattern] => [pattern, PHRASES[pattern.trim().toLowerCase()] ?? onCommands(pattern)]);
  return (understanding, command, facts) => {
    for (const [pattern, matches] of compiled) {
      const what = matches(understanding, command, facts);
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
  "writes outside the workspace": ({ touches }, _command, facts) => {
    const hit = touches.find((touch) => touch.kind === "path" && touch.access !== "read" && isOutside(touch.path, facts));
    return hit?.kind === "path" ? hit.path : null;
  },
};

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
  try {
    const real = facts.canonical(beforeGlob(path));
    return !isWithin(facts.cwd, real) && !isWithin("/tmp", real);
  } catch {
    return true;
  }
}

/** `src/*.ts` is somewhere in `src`. */
function beforeGlob(path: string): string {
  const glob = path.search(/[*?[]/);
  if (glob === -1) return path;
  return path.slice(0, path.lastIndexOf("/", glob) + 1) || ".";
}
