import * as z from "zod";
import type { ToolCall } from "../../core/call.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { boundTo, isAtLeast } from "../../core/ports/skill.ts";
import type { TurnContext } from "../../core/turn.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob, escapeGlob, globProblem, type Matcher } from "../../text/glob.ts";
import { makeOnce } from "../../text/make-once.ts";
import { isWithin } from "../../text/path.ts";
import { commandPattern } from "../permissions/commands-pattern.ts";
import { allTexts, policyCommands } from "../policy/find-text.ts";
import { type CallPlace, type Surveyed, surveyed } from "../policy/places.ts";
import { folder, host, hostOf } from "./folders.ts";

export const constraint = makeOnce(() =>
  z.strictObject({
    tool: z.string().min(1),
    deny_patterns: z.array(z.string().min(1).max(500)).default([]),
    allowed_paths: z.array(folder()).default([]),
    allowed_domains: z.array(host()).default([]),
    min_trust: z.enum(["untrusted", "provisional", "trusted"]).optional(),
  }),
);
export type Constraint = z.output<ReturnType<typeof constraint>>;

type Objections = (call: ToolCall, turn: TurnContext) => Verdict | null;
type Limit = (seen: Seen, turn: TurnContext) => Verdict | null;

/** What the constraints of a tool say against a call: the first that forbids, else the first that asks. */
export function limits(constraints: readonly Constraint[], facts: Facts): Objections {
  const all = constraints.map((one, n) => ({
    fits: toolGlob(one.tool),
    limit: compile(one, `tools.scoped.constraints[${n}] (${one.tool})`, facts),
  }));
  const byTool = new Map<string, readonly Limit[]>();
  const about = (name: string): readonly Limit[] => {
    const mine = byTool.get(name) ?? all.filter(({ fits }) => fits(name)).map(({ limit }) => limit);
    if (byTool.size < MOST_TOOLS) byTool.set(name, mine);
    return mine;
  };
  return (call, turn) => {
    const mine = about(call.tool.name);
    if (mine.length === 0) return null;
    const seen = seeing(call, facts);
    const said = mine.flatMap((limit) => limit(seen, turn) ?? []);
    return said.find(({ kind }) => kind === "deny") ?? said[0] ?? null;
  };
}

const MOST_TOOLS = 1000;

/** A tool's name, or a glob of names; letters of any case. */
export const toolGlob = (pattern: string): Matcher => compileGlob(pattern.trim(), { flavour: "text", letters: "any case" });

/** What limits look at, each worked out once, when the first of them asks. */
interface Seen {
  readonly call: ToolCall;
  /** Every text of the call in small letters. */
  texts(): readonly string[];
  touched(): Surveyed;
}

function seeing(call: ToolCall, facts: Facts): Seen {
  let texts: readonly string[] | undefined;
  let places: Surveyed | undefined;
  return {
    call,
    texts: () => (texts ??= [...allTexts(call.input), ...policyCommands(call)].map((text) => text.toLowerCase())),
    touched: () => (places ??= surveyed(call, facts)),
  };
}

function compile({ deny_patterns, allowed_paths, allowed_domains, min_trust }: Constraint, name: string, facts: Facts): Limit {
  const patterns = deny_patterns.map((pattern) => ({ pattern, occurs: occurs(pattern) }));
  const roots = allowed_paths.map((path) => canonical(path, facts));
  const domains = allowed_domains.map(domain);
  return (seen, turn) => {
    const hit = patterns.find(({ occurs }) => occurs(seen));
    if (hit) return refusal(name, `deny_patterns ${JSON.stringify(hit.pattern)}`, "nothing in the arguments may match this pattern");
    if (roots.length > 0 || domains.length > 0) {
      const { places, isOpen, isOpenToAddresses } = seen.touched();
      const certain = places.filter(({ isSure }) => isSure);
      const paths = certain.filter(({ flavour }) => flavour === "path");
      const outside = roots.length > 0 && paths.find((place) => !liesIn(place, roots));
      if (outside) return refusal(name, `allowed_paths ${allowed_paths.join(", ")}`, `${outside.name} lies outside`);
      const urls = certain.filter(({ flavour }) => flavour === "text");
      const elsewhere = domains.length > 0 && urls.find(({ sure }) => !domains.some((fits) => sure().some(fits)));
      if (elsewhere) return refusal(name, `allowed_domains ${allowed_domains.join(", ")}`, `${elsewhere.name} is not in this list`);
      const which = roots.length > 0 ? `allowed_paths ${allowed_paths.join(", ")}` : `allowed_domains ${allowed_domains.join(", ")}`;
      if (roots.length > 0 ? isOpen : isOpenToAddresses) return refusal(name, which, "what it touches is not known before it runs");
    }
    const trust = boundTo(turn)?.trust ?? "trusted";
    if (min_trust === undefined || isAtLeast(trust, min_trust)) return null;
    const rule = `${name}: min_trust ${min_trust}`;
    return { kind: "ask", rule, why: `${rule}: the caller is ${trust}.` };
  };
}

/** For the model too: it should know which limit it met. */
const refusal = (name: string, limit: string, what: string): Verdict => ({
  kind: "deny",
  rule: `${name}: ${limit}`,
  why: `${name}: ${limit}: ${what}.`,
});

/**
 * A glob that is found anywhere in the arguments, in any case; of a command also without quotes, in every order and spelling of its options.
 * What is no glob (a lone bracket) stands for itself.
 */
function occurs(pattern: string): (seen: Seen) => boolean {
  const wanted = spaced(pattern.toLowerCase());
  const isGlob = globProblem(pattern) === null;
  // `**/` is also no folder at all: at the beginning a name begins there, in the middle one slash is enough.
  const glob = isGlob ? wanted.replace(/^(\*\*\/)+/, "").replaceAll("/**/", "{/,/**/}") : escapeGlob(wanted);
  const starts = isGlob && wanted.startsWith("**/") ? [`${glob}*`, `*[/ "'=:(]${glob}*`] : [`*${glob}*`];
  const fits = starts.map((start) => compileGlob(start, { flavour: "text", letters: "exact" }));
  const found = (text: string) => fits.some((one) => one(text));
  // Most texts hold not even the longest plain word of it; only the others are looked at with their spaces made even.
  const longest = plainWords(glob).reduce((one, other) => (other.length > one.length ? other : one), "");
  const [program = "", ...words] = pattern.trim().split(/\s+/);
  const apart = words.flatMap((word) => (/^-[A-Za-z]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word]));
  const written = [program, ...apart].map((word) =>
    globProblem(word) === null && globProblem(pattern) === null ? word : escapeGlob(word),
  );
  const asCommand = commandPattern(written.join(" "));
  return ({ call, texts }) =>
    texts().some((text) => text.includes(longest) && found(spaced(text))) ||
    (words.length > 0 && call.touches.some((touch) => touch.kind === "command" && asCommand(touch)));
}

/** The words of a glob in which every character stands for itself; none where it has alternatives. */
const plainWords = (glob: string): string[] => (/[{}[\]\\]/.test(glob) ? [] : glob.split(/[\s*?]+/));

const spaced = (text: string) => text.replace(/\s+/g, " ");

/** By whole segments, links followed. A pattern in a command lies where its folder lies. */
function liesIn({ sure }: CallPlace, roots: readonly string[]): boolean {
  const paths = sure();
  return paths.length > 0 && paths.every((path) => roots.some((root) => isWithin(root, path)));
}

/** A folder behind a link that a command could have made holds nothing: the link could lead anywhere. */
const canonical = (path: string, facts: Facts): string =>
  attempt(() => (facts.settled ? (facts.settled(path) ?? path) : facts.canonical(path)), path);

/** `example.com` is that host alone, `*.example.com` every host below it. */
function domain(written: string): (url: string) => boolean {
  const name = hostOf(written) ?? written;
  const below = name.startsWith("*.") ? name.slice(1) : null;
  return (url) => {
    const { hostname } = new URL(url);
    return below === null ? hostname === name : hostname.endsWith(below) && hostname.length > below.length;
  };
}
