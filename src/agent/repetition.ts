import { isDeepStrictEqual } from "node:util";
import type { ToolRequest } from "../core/request.ts";

/** Three rounds in a row that asked for the same and brought the same are no work any more. */
const MOST_ALIKE = 3;

export interface Round {
  readonly request: Pick<ToolRequest, "name" | "args">;
  readonly text: string;
}

/** Tells when rounds repeat themselves. Looking after background commands is waiting, not repeating. */
export function createRepetitionCheck() {
  let last: unknown = null;
  let alike = 0;
  return {
    /** True when this is the third round in a row with the same calls and the same output. */
    isThird(round: readonly Round[]): boolean {
      if (round.some(({ request }) => request.name === "background")) {
        last = null;
        alike = 0;
        return false;
      }
      // Compared as they are: written out as one text, the arguments of a long `write` would hold everybody up.
      const now = round.map(({ request, text }) => [request.name, request.args, settled(text)]);
      alike = isDeepStrictEqual(now, last) ? alike + 1 : 1;
      last = now;
      return alike >= MOST_ALIKE;
    },
  };
}

/** Numbers we give ourselves differ from call to call; what a tool said does not. */
const settled = (text: string) => text.replace(/\braw#\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
