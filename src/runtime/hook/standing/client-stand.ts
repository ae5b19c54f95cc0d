import type { HookedCall } from "../../../hook/client.ts";
import type { ClientRules } from "../../../neighbours/rules/client-rule.ts";
import { type ClientVerdict, judgeClientCall } from "../../../neighbours/rules/judge-call.ts";
import { type Suspicion, suspicionInOrder } from "../../../neighbours/rules/suspect-command.ts";
import type { ClientFiles } from "./client-files.ts";

/** What a client's own rules say about a command, before anybody rewrites it. */
export interface Standing {
  /** `unsure`: the client alone can tell, so it is given the command as it is. */
  readonly verdict: ClientVerdict;
  /** The rule that asks or denies, with its file; or why it cannot be told. */
  readonly why: string | null;
  /** The client runs what no rule speaks of, and asks nobody. */
  readonly promptsNobody: boolean;
}

/** A client as it stands behind one call: its folders, its variables, its command line. */
export interface AskingClient {
  readonly call: HookedCall;
  readonly home: string;
  /** What the rules of the machine lie below: `/`. */
  readonly system: string;
  readonly env: Readonly<Record<string, string>>;
  /** The words that the client was started with, the outermost process first. */
  readonly words: readonly string[];
  readonly files: ClientFiles;
}

/** Everything that a client's rules are. */
export interface ClientStand {
  /** Several lists of a client whose strictest rule wins are one list. */
  readonly lists: readonly ClientRules[];
  /** Why the rules are not all known; with it nothing is rewritten. */
  readonly unsure: readonly string[];
  readonly promptsNobody: boolean;
  /** Rules of another kind that might speak of the command, in words; null where none does. */
  readonly besides?: (command: string) => string | null;
  /** Whether the client asks about a command though a rule allows it. */
  readonly asksAnyway?: (command: string) => boolean;
}

export const NO_RULES: ClientStand = { lists: [], unsure: [], promptsNobody: false };

const RANK: Readonly<Record<ClientVerdict, number>> = { allow: 0, unruled: 1, unsure: 2, ask: 3, deny: 4 };
const ROOTS = { workspace: "/", settings: "/", home: "/" };

/** Judges a command by everything that is known of a client's rules. In doubt the client decides. */
export function judgeStanding({ lists, unsure, promptsNobody, besides, asksAnyway }: ClientStand, command: string): Standing {
  const stand = (verdict: ClientVerdict, why: string | null): Standing => ({ verdict, why, promptsNobody });
  const definite = verdictOf(lists, command);
  // A denial that every file of the client counts towards stays one, whatever else could not be read.
  const isStrictest = lists.every(({ decides }) => decides === "strictest");
  if (definite === "deny" && isStrictest) return stand("deny", ruleBehind(lists, command, "deny"));
  if (unsure.length > 0) return stand("unsure", unsure[0]!);
  if (definite === "unsure") return stand("unsure", "one of its rules cannot be read, or its rules contradict each other");
  const suspected = strictest(lists.map((list) => suspicionInOrder(list, command)));
  if (suspected !== null && RANK[suspected] > RANK[definite]) return stand("unsure", "one of its rules might speak of this command");
  const other = definite === "deny" ? null : (besides?.(command) ?? null);
  if (other !== null) return stand("unsure", other);
  if (definite === "allow" && asksAnyway?.(command)) return stand("unruled", null);
  return definite === "deny" || definite === "ask" ? stand(definite, ruleBehind(lists, command, definite)) : stand(definite, null);
}

function verdictOf(lists: readonly ClientRules[], command: string): ClientVerdict {
  const said = lists.map((list) => judgeClientCall(withSoundAllows(list), { kind: "command", command }, ROOTS));
  const heard = [...new Set(said.filter((verdict) => verdict !== "unruled"))];
  // Which of two files counts for more is the client's to say.
  return heard.length === 0 ? "unruled" : heard.length === 1 ? heard[0]! : "unsure";
}

/** An expression is found in more texts than its agent would find it in, and a rule for one mode allows nothing in another. */
const withSoundAllows = (list: ClientRules): ClientRules => ({
  ...list,
  rules: list.rules.filter(({ action, target, only }) => action !== "allow" || (target.kind !== "arguments" && only === undefined)),
});

const strictest = (found: readonly (Suspicion | null)[]): Suspicion | null =>
  found.includes("deny") ? "deny" : found.includes("ask") ? "ask" : null;

function ruleBehind(lists: readonly ClientRules[], command: string, verdict: "ask" | "deny"): string | null {
  for (const list of lists) {
    const rule = list.rules.find(
      (one) =>
        one.action === verdict && judgeClientCall({ ...list, rules: [one], unread: [] }, { kind: "command", command }, ROOTS) === verdict,
    );
    if (rule) return rule.written;
  }
  return null;
}

/** The rules of a file, each with the name of the file behind it. */
export const fromFile = <T extends ClientRules>(list: T, file: string): T => ({
  ...list,
  rules: list.rules.map((rule) => ({ ...rule, written: `${rule.written} in ${file}` })),
});

/** Lists of which the strictest rule wins, as one. */
export const joined = (lists: readonly ClientRules[], client: ClientRules["client"]): ClientRules => ({
  client,
  decides: "strictest",
  rules: lists.flatMap(({ rules }) => rules),
  unread: lists.flatMap(({ unread }) => unread),
});

/** Only what asks and denies. */
export const withoutAllows = (list: ClientRules): ClientRules => ({
  ...list,
  rules: list.rules.filter(({ action }) => action !== "allow"),
});
