import type { Pipeline } from "unbash";
import type { CommandPlace } from "./understanding.ts";

interface Call {
  readonly from: string;
  readonly to: string;
  readonly pipeline: Pipeline | null;
  readonly background: boolean;
  readonly where: CommandPlace;
}

/** `$0` is the script itself; a call to it from anywhere is a call to itself. */
export const SELF = "$0";

/** Calls between functions. A fork bomb is a circle of calls that goes on in the background, or twice in one pipeline. */
export class CallGraph {
  readonly #calls: Call[] = [];
  readonly #functions = new Set<string>([SELF]);

  add(call: Call): void {
    this.#calls.push(call);
    this.#functions.add(call.from);
  }

  bombs(): CommandPlace[] {
    const inner = this.#calls.filter(({ to }) => this.#functions.has(to));
    if (inner.length === 0) return [];
    const circular = inner.filter(({ from, to }) => reaches(inner, to, from));
    const found = circular.filter(
      ({ background, pipeline }) => background || circular.filter((other) => pipeline !== null && other.pipeline === pipeline).length > 1,
    );
    return found.slice(0, 1).map(({ where }) => where);
  }
}

function reaches(calls: readonly Call[], from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const name of seen) {
    if (name === to) return true;
    for (const call of calls) if (call.from === name) seen.add(call.to);
  }
  return false;
}
