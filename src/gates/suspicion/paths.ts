import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { extractPaths } from "../../text/paths-in-text.ts";
import { namingArguments } from "./names.ts";
import type { Words } from "./words.ts";

export type PathFacts = Pick<Facts, "cwd" | "canonical" | "exists">;

const MOST_PATHS = 50;

/** Paths in a call that are not there and that nobody has spoken of. Of what is to be made, the folder around it counts. */
export function unheardPaths(call: ToolCall, words: Words, facts: PathFacts): string[] {
  const { read, made } = namedPaths(call);
  const isKnown = (path: string) => isMentioned(path, words) || facts.exists(path);
  const isMade = madeHere(call, made, facts);
  const missing = [...read].filter((path) => !isKnown(path) && !isMade(path));
  const homeless = [...made].filter((path) => !isKnown(path) && !isKnown(folderOf(path)) && !read.has(path) && !isMade(folderOf(path)));
  return [...new Set([...missing, ...homeless])];
}

/** What has to be there, and what a call is about to make. */
function namedPaths(call: ToolCall): { readonly read: ReadonlySet<string>; readonly made: ReadonlySet<string> } {
  const read = new Set<string>();
  const made = new Set<string>();
  const isProbe = runsCommands(call) && PROBE.test(String(call.input.command ?? ""));
  for (const touch of call.touches) {
    if (touch.kind !== "path" || read.size + made.size >= MOST_PATHS || PATTERN.test(touch.path) || ADDRESS.test(touch.path)) continue;
    if (touch.access === "write") made.add(touch.path);
    else if (!isProbe) read.add(touch.path);
  }
  if (!isProbe) for (const path of writtenPaths(call)) if (read.size < MOST_PATHS && !made.has(path)) read.add(path);
  return { read, made };
}

/** `test -f x && …`, `… || true` and `rm -f` do not claim that something is there. */
const PROBE = /\|\||\btest -|\[ -|2>\s*\/dev\/null|\bif\b|\brm -\w*f/;
/** `https://host/a` is not a path, nor is `file:///a`, even as an argument of `cat`, and even with the working directory before it. */
const ADDRESS = /(?:^|\/)[a-z][a-z0-9+.-]*:\/{1,3}[\w[]/i;
/** Known only when it runs. */
const PATTERN = /[*?[\]{}$`\n]/;

const runsCommands = ({ touches }: ToolCall): boolean => touches.some(({ kind }) => kind === "command");

/** Paths that stand in the arguments without being told as touches. */
function writtenPaths(call: ToolCall): string[] {
  const { touches, cwd } = call;
  if (!runsCommands(call)) return namingArguments(call).flatMap(({ value }) => (typeof value === "string" ? realPaths(value) : []));
  const argvs = touches.flatMap((touch) => (touch.kind === "command" ? [touch.argv] : []));
  if (argvs.some(([program]) => program === null || program === "cd" || program === "pushd")) return [];
  const inside = argvs.flatMap((argv) => argv.flatMap((word) => (word === null ? [] : realPaths(word))));
  return inside.map((path) => (cwd === null || /^[/~]/.test(path) ? path : `${cwd}/${path}`));
}

/** Whole texts only: in a sentence a slash means many things. */
function realPaths(text: string): string[] {
  const [path, another] = extractPaths(text);
  return path === undefined || another !== undefined || path !== text || !LOOKS_REAL.test(path) || path.includes("...") ? [] : [path];
}

/** It says where it begins, or ends like a file. */
const LOOKS_REAL = /^(?:\.{0,2}|~)\/[\w.@+ /-]+$|^[\w.@+-]+(?:\/[\w.@+-]+)*\/[\w.@+-]+\.[a-z][a-z0-9]{0,5}$/i;

/** In a line of commands a later one may read what an earlier one makes. A tool that reads and writes one file does not make it first. */
function madeHere(call: ToolCall, made: ReadonlySet<string>, facts: PathFacts): (path: string) => boolean {
  if (!runsCommands(call)) return () => false;
  const placeOf = (path: string) => attempt(() => facts.canonical(path), null);
  const places = [...made].flatMap((path) => placeOf(path) ?? []);
  return (path) => {
    const place = placeOf(path);
    return place !== null && places.some((one) => isWithin(one, place));
  };
}

function isMentioned(path: string, words: Words): boolean {
  const name = nameOf(path.replace(/\/+$/, ""));
  if (/^[.~]*$/.test(name) || USUAL.test(name)) return true;
  const stem = name.slice(0, name.lastIndexOf("."));
  return words.has(name) || (stem.length > 3 && words.has(stem));
}

/** Everybody looks for these without having been told of them. */
const USUAL =
  /^(?:readme|license|changelog|contributing|agents|claude|makefile|dockerfile|package(?:-lock)?|tsconfig|cargo|pyproject|setup|requirements|go|gemfile|pom|build|index|main|mod|lib|\.?gitignore|\.env|\.git|src|test|tests|docs|config)(?:\.\w{1,8})?$/i;

const folderOf = (path: string): string => {
  const bare = path.replace(/(?<=.)\/+$/, "");
  return bare.includes("/") ? parentOf(bare) : ".";
};
