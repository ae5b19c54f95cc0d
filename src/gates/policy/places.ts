import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { PathTouch } from "../../core/touch.ts";
import { escapeGlob } from "../../text/glob.ts";
import { display } from "../../text/path.ts";
import { pathSubject, urlSubject } from "../permissions/rules.ts";
import type { Sure } from "./certain-paths.ts";
import { namedInArguments, namedInCommand } from "./mentions.ts";
import type { PathReach } from "./path-reach.ts";
import { filePath } from "./possible-paths.ts";

/** One path or address of a call, as rules about paths see it. */
export interface CallPlace {
  readonly flavour: "path" | "text";
  /** As the caller wrote it. */
  readonly name: string;
  /** The same with what has to be said about it. */
  readonly written: string;
  /** Every way to say what it is, in small letters: a rule that forbids takes any of them. Null: it may be anything. */
  readonly forms: readonly string[] | null;
  /** Whether a rule that forbids all that lies in it is meant too. */
  readonly holds: "alone" | "inside";
  /** Whether rules that allow look at it. */
  readonly isSure: boolean;
  /** What it really is, and what lies below it if that is touched too: a rule that allows must cover them all. None: nothing covers it. Worked out for those rules alone. */
  sure(): readonly string[];
  /** An absolute pattern of all it may be, when it is more than one path. */
  readonly spread?: string;
  readonly below?: PlacesBelow;
}

/** Everything below a path is touched too, if it is a folder. */
export interface PlacesBelow {
  /** Up to its first wildcard, with a slash behind it. */
  readonly path: string;
  readonly spread: string;
  /** What is found below is shown. */
  readonly isShown: boolean;
  isFolder(): boolean;
}

/** A path, and how it was named. */
interface Seen extends PathTouch {
  /** What a rule that allows has to cover. */
  readonly whole?: Sure["whole"];
  /** What a rule that forbids is about. */
  readonly reach?: PathReach;
  readonly isDoubtful?: true;
  readonly isImplied?: true;
}

export interface Surveyed {
  /** All that it may touch; those that rules which allow have to cover come first. */
  readonly places: readonly CallPlace[];
  /** What it touches cannot all be told. */
  readonly isOpen: boolean;
  /** It may reach addresses that are not among them. */
  readonly isOpenToAddresses: boolean;
}

/** What a call touches, and what its words and arguments name that nothing else is known about. Looked at once in a judgement. */
export function surveyed(call: ToolCall, facts: Facts): Surveyed {
  const moment = facts.moment?.();
  const before = last.get(call);
  if (before && before.facts === facts && before.moment === moment && moment !== undefined) return before.found;
  const found = survey(call, facts);
  last.set(call, { facts, moment, found });
  return found;
}

const last = new WeakMap<ToolCall, { readonly facts: Facts; readonly moment: number | undefined; readonly found: Surveyed }>();

function survey(call: ToolCall, facts: Facts): Surveyed {
  const isCommand = call.touches.some(({ kind }) => kind === "command");
  const how = isCommand ? "command" : "tool";
  const { sure, perhaps, addresses, isOpen, isOpenToAddresses } = isCommand ? namedInCommand(call, facts) : namedInArguments(call);
  const paths = new Map<string, Seen>();
  for (const touch of call.touches) if (touch.kind === "path") paths.set(`${touch.access} ${touch.path}`, touch);
  const known = new Map([...paths.values()].map((touch) => [touch.path, `${touch.access} ${touch.path}`]));
  for (const one of sure) {
    const key = known.get(one.path) ?? one.path;
    paths.set(key, { kind: "path", access: "read", ...paths.get(key), ...one });
    known.set(one.path, key);
  }
  for (const { path, reach } of perhaps) {
    if (path === null) continue;
    const key = known.get(path) ?? path;
    const before = paths.get(key);
    if (before) paths.set(key, { ...before, reach: further(before.reach, reach) });
    else paths.set(key, { kind: "path", access: "read", path, reach, isDoubtful: true });
    known.set(path, key);
  }
  const urls = new Map(addresses.map(({ url, isBare }) => [url, isBare]));
  for (const touch of call.touches) if (touch.kind === "url") urls.set(touch.url, false);
  const files = [...urls.keys()].flatMap((url) => filePath(url) ?? []);
  const places = [
    ...[...paths.values()].map((touch) => pathPlace(touch, facts, how)),
    ...[...urls].map(([url, isBare]) => urlPlace(url, isBare ? "bare" : "whole")),
    ...files.map((path) => pathPlace({ kind: "path", access: "read", path, isDoubtful: true }, facts, how)),
    ...(perhaps.some(({ path }) => path === null) ? [ANYTHING] : []),
  ];
  return { places: places.sort((a, b) => Number(b.isSure) - Number(a.isSure)), isOpen, isOpenToAddresses };
}

const REACHES: readonly (PathReach | undefined)[] = [undefined, "entry", "inside", "tree"];
const further = (a: PathReach | undefined, b: PathReach): PathReach => (REACHES.indexOf(a) > REACHES.indexOf(b) ? a! : b);

const ANYTHING: CallPlace = {
  flavour: "path",
  name: "…",
  written: "a path that is only known at run time",
  forms: null,
  holds: "alone",
  isSure: false,
  sure: () => [],
};

/** Stand-ins for any name: a pattern that covers these covers all. */
const SOME = ["\u0001", "\u0001\u0001.\u0001"] as const;

function pathPlace(touch: Seen, facts: Facts, how: "command" | "tool"): CallPlace {
  const { written, sure } = pathSubject(touch, facts);
  const real = sure[0]!;
  const isWild = how === "command" && /[*?[]/.test(written);
  // Somebody else's home: where it lies is not known.
  const isForeign = how === "command" && /^~[^/]/.test(written);
  const { tree, searches, reach, isDoubtful, isImplied } = touch;
  const forms =
    isImplied && reach === undefined ? [] : [...new Set([...spelling(written, how), real, display(real, facts.cwd)].map(lower))];
  const isFolder = () => isWild || facts.exists(`${real}/.`);
  return {
    flavour: "path",
    name: written,
    written: searches ? `${written} (a search could show it; tools.file.deny_read leaves files out of searches)` : written,
    forms,
    holds: tree || reach === "inside" || reach === "tree" ? "inside" : "alone",
    isSure: !isDoubtful,
    sure: () => (isForeign ? [] : surePaths(touch, real, isWild, isFolder)),
    ...(isWild && { spread: real }),
    ...((tree || searches || reach === "tree") && {
      below: {
        path: lastingFolder(isWild ? fixedRoot(real) : real),
        spread: `${isWild ? real : escapeGlob(real)}/**`,
        isShown: searches === true,
        isFolder,
      },
    }),
  };
}

/** Of a command, whose words are put behind the folder it stands in, a path with `..` in it is only what it leads to. */
const spelling = (written: string, how: "command" | "tool"): string[] =>
  how === "tool" ? [written] : /(^|\/)\.\.(\/|$)/.test(written) ? [] : [written.replace(/(?<=.)\/+$/, "")];

function surePaths({ tree, searches, whole }: Seen, real: string, isWild: boolean, isFolder: () => boolean): string[] {
  const names = isWild ? SOME.map((some) => real.replace(/[^/]*\[[^/]*|[*?]+/g, some)) : [real];
  const isTree = tree || whole === "tree";
  if (!isTree && !searches && whole === undefined) return names;
  const below = names.flatMap((name) => SOME.map((some) => `${name}/${some}/${some}`).concat(`${name}/${SOME[0]}`));
  // A search of a folder shows what is in it, and nothing of the folder itself.
  return isTree || isWild ? [...names, ...below] : isFolder() ? below : names;
}

/** Without a scheme it is asked for in one way and may end in the other. */
function urlPlace(url: string, how: "bare" | "whole"): CallPlace {
  const { written, sure } = urlSubject(url);
  const [, rest] = how === "bare" ? (/^http:\/\/(.*)$/is.exec(sure[0] ?? "") ?? []) : [];
  const forms = [written, ...sure, ...(rest === undefined ? [] : [rest, `https://${rest}`])];
  return { flavour: "text", name: written, written, forms: [...new Set(forms.map(lower))], holds: "alone", isSure: true, sure: () => sure };
}

const lower = (text: string) => text.toLowerCase();

/** The folders before the first wildcard. */
export function fixedRoot(form: string): string {
  const segments = form.split("/");
  const wild = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  return wild === -1 ? form : segments.slice(0, wild).join("/") || "/";
}

/** Joined, because a string that was added up is slow to compare with. */
export const lastingFolder = (path: string) => (path.endsWith("/") ? lower(path) : [lower(path), ""].join("/"));
