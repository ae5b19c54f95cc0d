import type { BudgetAccount } from "../../agent/budget.ts";
import type { CallerRights, Trust } from "../../core/turn.ts";
import type { RuntimeInternals, Zeph } from "../runtime.ts";
import type { CallerView } from "./caller-view.ts";

/** A caller as its calls name it. */
export interface NamedCaller {
  readonly callerId: string;
  readonly trust: Trust;
  readonly rights: CallerRights;
}

/** What lies behind a runtime that a program holds, or behind the view of one of its callers. */
export interface OpenedRuntime {
  /** A caller's workspace of its own is opened when it is first needed. */
  readonly open: () => Promise<RuntimeInternals>;
  readonly caller?: NamedCaller;
  /** What the caller may use, and has used. */
  readonly account?: BudgetAccount;
}

/** A program is given no more than it needs; an agent that it opens over a runtime needs the rest. */
const opened = new WeakMap<Zeph | CallerView, OpenedRuntime>();

export const rememberOpened = (outside: Zeph | CallerView, runtime: OpenedRuntime): void => void opened.set(outside, runtime);

/** Throws a TypeError for what was made by nobody here. */
export function findOpened(outside: Zeph | CallerView): OpenedRuntime {
  const found = typeof outside === "object" && outside !== null ? opened.get(outside) : undefined;
  if (!found) throw new TypeError("runtime must be what createRuntime returned, or what its as() returned.");
  return found;
}
