import type { ToolRequest } from "../core/request.ts";

/** Three rounds in a row that brought the same are no work any more. */
const MOST_ALIKE = 3;

export interface Round {
  readonly request: Pick<ToolRequest, "name" | "args">;
  readonly text: string;
}

/** Tells when rounds repeat themselves. Looking after background commands is waiting, not repeating. */
export function sameness() {
  let last = "";
  let alike = 0;
  return {
    /** True when this is the third round in a row with the same output. */
    isThird(round: readonly Round[]): boolean {
      if (round.some(({ request }) => request.name === "background")) {
        last = "";
        alike = 0;
        return false;
      }
      const now = JSON.stringify(round.map(({ request, text }) => [request.name, settled(text), isSilent(text) ? request.args : null]));
      alike = now === last ? alike + 1 : 1;
      last = now;
      return alike >= MOST_ALIKE;
    },
  };
}

/** Many commands say nothing when all went well; then what was asked for tells them apart. */
const isSilent = (text: string) => text === "(no output)";

/** Numbers we give ourselves differ from call to call; what a tool said does not. */
const settled = (text: string) => text.replace(/\braw#\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
