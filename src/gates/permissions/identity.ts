import { hash } from "node:crypto";
import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { PathTouch } from "../../core/touch.ts";
import type { TurnContext } from "../../core/turn.ts";
import { attempt } from "../../text/attempt.ts";
import { canonicalJson } from "../../text/json.ts";
import { commandOf } from "./commands.ts";
import { pathSubject, urlSubject } from "./rules.ts";

/**
 * What a yes to this call is good for, as a text: the one place it touches, or its arguments with every place as it really is. A folder that is
 * read or deleted ends in a slash, so that a file that became one is something else.
 */
export function callIdentity({ tool, input, touches }: ToolCall, facts: Facts): string {
  const places = new Map<string, Set<string>>();
  const add = (written: string, real: string) => void places.set(written, (places.get(written) ?? new Set()).add(real));
  for (const touch of touches) {
    if (touch.kind === "path") add(touch.path, placeOf(touch, facts));
    if (touch.kind === "url") add(touch.url, urlSubject(touch.url).sure[0] ?? touch.url);
  }
  const named = new Set<string>();
  const real = Object.entries(agreedArguments({ tool, input })).map(([name, value]): [string, unknown] => {
    const found = typeof value === "string" ? places.get(value) : undefined;
    if (!found) return [name, value];
    named.add(value as string);
    return [name, inOne([...found])];
  });
  const others = [...places].filter(([written]) => !named.has(written)).map(([, found]) => inOne([...found]));
  const alone = real.length + others.length === 1 ? (others[0] ?? real[0]![1]) : null;
  if (typeof alone === "string" && places.size === 1) return alone;
  const args = Object.fromEntries(real);
  return canonicalJson(others.length > 0 ? [args, others] : args);
}

/** The same with the caller; of a command with the folder it is run in and where its paths lead. */
export function grantKey(call: ToolCall, turn: TurnContext, facts: Facts): string {
  const who = [call.tool.name, callerOf(turn) ?? null, turn.skillName ?? null];
  if (commandOf(call) === null) return canonicalJson([...who, callIdentity(call, facts)]);
  return canonicalJson([...who, realFolder(call, facts), withHashes(agreedArguments(call)), identityPlaces(call, facts)]);
}

/** The arguments that a yes is given for; the others may be different the next time. */
const agreedArguments = ({ tool, input }: Pick<ToolCall, "tool" | "input">): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(input as Record<string, unknown>).filter(([name]) => !tool.varies?.includes(name)));

/** A longer text stands in a key by its hash: keys are compared, hashed and stored. */
const LONGEST_IN_KEY = 100_000;

/** A hash is no string, so that no text can pass for another one's. */
const withHashes = (input: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > LONGEST_IN_KEY ? [hash("sha256", value)] : value,
    ]),
  );

/** Where the paths of a call really lead, each with what is done there. */
export const identityPlaces = ({ touches }: ToolCall, facts: Facts): readonly (readonly [string, string])[] =>
  touches.flatMap((touch) => (touch.kind === "path" ? [[touch.access, pathSubject(touch, facts).sure[0]!] as const] : []));

/** The caller, where that is not the person: a session of theirs is. */
export const callerOf = ({ callerId, front }: TurnContext): string | undefined => (front ? undefined : callerId);

/** What a person was shown, as it lies on the disk: another text when it has become something else. */
export const identitySight = (call: ToolCall, facts: Facts): string =>
  canonicalJson(
    call.touches.flatMap((touch) => {
      if (touch.kind !== "path") return [];
      const real = pathSubject(touch, facts).sure[0]!;
      const there = facts.entryState?.(real) ?? null;
      // What a command only reads may be a log that somebody writes.
      const isKindOnly = commandOf(call) !== null && touch.access === "read";
      return [[touch.access, real, there?.kind ?? null, isKindOnly ? null : (there?.stamp ?? null)]];
    }),
  );

/** Files the call would change that are no longer what they were when they were read here. */
export const staleOf = (call: ToolCall, facts: Facts): string | undefined => {
  if (commandOf(call) !== null) return undefined;
  const changed = call.touches.flatMap((touch) =>
    touch.kind === "path" && touch.access !== "read" ? [pathSubject(touch, facts).sure[0]!] : [],
  );
  return changed.find((path) => facts.isStale?.(path) === true);
};

function placeOf(touch: PathTouch, facts: Facts): string {
  const real = pathSubject(touch, facts).sure[0]!;
  const isTaken = touch.access !== "write" || touch.tree === true;
  return isTaken && facts.entryState?.(real)?.kind === "folder" ? `${real}/` : real;
}

const inOne = (found: readonly string[]): string | readonly string[] => (found.length === 1 ? found[0]! : found);

function realFolder({ cwd }: ToolCall, facts: Facts): string {
  const folder = cwd ?? facts.cwd;
  return attempt(() => facts.canonical(folder), folder);
}
