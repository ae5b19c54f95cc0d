import { isRecord } from "../../text/json.ts";
import type { CommandPattern } from "./command-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";

export const NEIGHBOURS = ["claude", "codex", "gemini", "qwen", "opencode", "cursor"] as const;
/** Another agent whose files are read. */
export type Neighbour = (typeof NEIGHBOURS)[number];

export type RuleAction = "allow" | "ask" | "deny";

/** Where something stands in the data of a file. */
export type SourcePath = readonly (string | number)[];

/** What a rule of another agent is about. Null is every one. */
export type RuleTarget =
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "path"; readonly access: "read" | "write"; readonly pattern: PathPattern | null }
  | { readonly kind: "host"; readonly host: string | null }
  | { readonly kind: "address"; readonly wildcard: string }
  | { readonly kind: "server"; readonly server: string; readonly tool: string | null }
  /** An expression that is looked for in the arguments of a tool. */
  | { readonly kind: "arguments"; readonly tool: "command" | "read" | "write" | "fetch"; readonly expression: string };

export interface ClientRule {
  readonly at: SourcePath;
  /** As it is written there. */
  readonly written: string;
  readonly action: RuleAction;
  readonly target: RuleTarget;
  /** It speaks in some state of the agent only, which is told here. */
  readonly only?: string;
}

/** A line that says something about permissions and could not be read as a rule: whoever relies on the rules must know that it is there. */
export interface UnreadRule {
  readonly at: SourcePath;
  readonly written: string;
  readonly action: RuleAction | null;
  readonly why: string;
  /** What it could be about: one kind of calls, none that we judge, or anything. */
  readonly about: "command" | "path" | "address" | "server" | "nothing" | "anything";
}

/**
 * The rules of one file, in the order in which they are asked. With `strictest` all that match are heard and the strictest wins; with `first` the
 * first that matches.
 */
export interface ClientRules {
  readonly client: Neighbour | "copilot";
  readonly decides: "strictest" | "first";
  readonly rules: readonly ClientRule[];
  readonly unread: readonly UnreadRule[];
}

/** What stands below these keys. */
export const valueIn = (data: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), data);

export const NO_TEXT = "not a text";

/** An entry of a list of rules as a report shows it, whatever it is. */
export const writtenText = (written: unknown): string =>
  typeof written === "string" ? written : (JSON.stringify(written) ?? String(typeof written)).slice(0, MOST_WRITTEN);
const MOST_WRITTEN = 200;
