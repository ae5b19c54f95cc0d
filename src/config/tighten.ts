import { isDeepStrictEqual } from "node:util";
import { createPathRules } from "../host/files/paths.ts";
import { attempt } from "../text/attempt.ts";
import { isWithin } from "../text/path.ts";
import type { ConfigSetting } from "./settings.ts";

/** The outcome of a wish to change a setting. */
export interface Tightened {
  /** The value in force now: never more permissive than before. */
  readonly value: unknown;
  /** The parts of the wish that were not followed: paths below the key. The empty path is the key itself. */
  readonly ignored: readonly (readonly (string | number)[])[];
}

export interface Folders {
  readonly cwd: string;
  readonly home: string;
}

/**
 * What a project file nobody vouched for may do to a setting. Opening a stranger's repository must never allow anything,
 * so whatever is not known to be tighter is ignored, and a setting that does not say what tighter means cannot be set.
 */
export function tighten({ tighter }: Pick<ConfigSetting, "tighter">, wish: unknown, current: unknown, folders: Folders): Tightened {
  if (isDeepStrictEqual(plain(wish), plain(current))) return { value: current, ignored: [] };
  if (tighter === undefined) return keep(current);
  if (typeof tighter !== "string") return later(tighter, wish, current);
  return Object.hasOwn(RULES, tighter) ? RULES[tighter](wish, current, folders) : keep(current);
}

type Rule = (wish: unknown, current: unknown, folders: Folders) => Tightened;

const keep = (current: unknown): Tightened => ({ value: current, ignored: [[]] });
const take = (value: unknown): Tightened => ({ value, ignored: [] });

const RULES: Record<"off" | "on" | "smaller" | "adds" | "within" | "narrows" | "denies", Rule> = {
  off: (wish, current) => (wish === false ? take(false) : keep(current)),
  on: (wish, current) => (wish === true ? take(true) : keep(current)),
  /** An unset limit is no limit. */
  smaller: (wish, current) =>
    typeof wish === "number" && wish < (typeof current === "number" ? current : Number.POSITIVE_INFINITY) ? take(wish) : keep(current),
  adds: (wish, current) => (isList(wish) ? take([...new Set([...listOf(current), ...wish])]) : keep(current)),
  /** An empty list would lift the restriction, so it is no narrowing. */
  narrows: (wish, current) => {
    const inForce = new Set(listOf(current));
    if (!isList(wish) || wish.length === 0) return keep(current);
    return inForce.size === 0 || wish.every((entry) => inForce.has(entry)) ? take(wish) : keep(current);
  },
  within,
  denies,
};

/** Only to a later word of the list. */
function later(words: readonly string[], wish: unknown, current: unknown): Tightened {
  const to = words.indexOf(wish as string);
  const from = words.indexOf(current as string);
  return from >= 0 && to > from ? take(wish) : keep(current);
}

/**
 * Every folder must lie inside one in force; no folder means the working directory. The host itself says where a path really
 * leads, and its answer is handed on: a repository can hold a link that says "src" and means "/".
 */
function within(wish: unknown, current: unknown, folders: Folders): Tightened {
  const wanted = realFolders(wish, folders);
  const inForce = realFolders(current, folders);
  const fits = wanted.length > 0 && wanted.every((path) => inForce.some((root) => isWithin(root, path)));
  return fits ? take(wanted) : keep(current);
}

/** None when they cannot be told. */
const realFolders = (paths: unknown, { cwd, home }: Folders): readonly string[] =>
  attempt(() => createPathRules(cwd, { allowed_paths: paths as string[], deny_read: [], allow_read: [] }, home).roots, []);

/** Rules that deny are put first, where they win; any other rule is left out. */
function denies(wish: unknown, current: unknown): Tightened {
  if (isList(wish)) return deniesInList(wish, listOf(current));
  if (!isTable(wish)) return keep(current);
  const value: Record<string, unknown> = { ...(isTable(current) ? current : {}) };
  const ignored: (string | number)[][] = [];
  for (const [tool, rules] of Object.entries(wish)) {
    if (!isList(rules)) return keep(current);
    const isDenial = (rule: unknown) => isTable(rule) && rule.action === "deny";
    const denying = rules.filter(isDenial);
    if (denying.length > 0) value[tool] = [...denying, ...listOf(Object.hasOwn(value, tool) ? value[tool] : [])];
    const first = rules.findIndex((rule) => !isDenial(rule));
    if (first >= 0) ignored.push([tool, first]);
  }
  return { value, ignored };
}

/** One list of rules, each of which names its tools. */
function deniesInList(wish: readonly unknown[], current: readonly unknown[]): Tightened {
  const isDenial = (rule: unknown) =>
    isTable(rule) && [rule.effect, rule.action].every((word, _n, both) => (word ?? both.find(Boolean)) === "deny");
  return { value: [...wish.filter(isDenial), ...current], ignored: wish.flatMap((rule, n) => (isDenial(rule) ? [] : [[n]])) };
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (isList(value) ? value : []);
const isTable = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !isList(value);

/** TOML's tables have no prototype and JSON's have one; that is no difference. */
const plain = (value: unknown): unknown =>
  isList(value)
    ? value.map(plain)
    : isTable(value) && !(value instanceof Date)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
      : value;
