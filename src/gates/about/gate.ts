import type { Caller } from "../../core/session.ts";

/** A gate, the blocklist or the hooks, as docs/gates.md tells of it. A test holds each example to be true. */
export interface AboutGate {
  readonly name: string;
  /** What it asks about a call. */
  readonly asks: string;
  /** The settings it reads; none where there are none. */
  readonly settings: readonly string[];
  /** What holds when nothing is set. */
  readonly byDefault: string;
  /** What it looks at, which is what it costs. Measured numbers stand in the page's table. */
  readonly cost: string;
  readonly example: AboutExample;
}

export interface AboutExample {
  /** A configuration. */
  readonly toml: string;
  readonly call: AboutCall;
  /** Calls that came before. */
  readonly before?: readonly AboutCall[];
  readonly verdict: "ask" | "deny";
  readonly rule: string | null;
  /** What the person and the log read. The workspace is `~/project`. */
  readonly why: string;
  /** What the model reads, where that is less. */
  readonly told?: string;
  /** What it takes besides the configuration: a model's answer, a machine without walls. */
  readonly given?: string;
}

export interface AboutCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller?: Caller;
}

/** The names of the settings in one table. */
export const settingsIn = (table: string, names: string): readonly string[] => names.split(" ").map((name) => `${table}.${name}`);
