import { bounded } from "../../text/visible.ts";
/** What the model that judges made of a call. */
export type Judged =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string }
  /** It said something else, or nothing. Nobody guesses what was meant. */
  | { readonly kind: "strange"; readonly reason: string };

/** `ALLOW` and nothing else allows, to the letter. `DENY` may give its reason. */
export function readJudgeAnswer(answer: string): Judged {
  const text = answer.trim();
  if (text === "ALLOW") return { kind: "allow" };
  const denied = /^DENY(?![^\s:])[\s:]*/.exec(text);
  if (denied) return { kind: "deny", reason: shortReason(text.slice(denied[0].length)) || "no reason was given" };
  return {
    kind: "strange",
    reason: text === "" ? "the model said nothing" : `the model answered neither ALLOW nor DENY but: ${shortReason(text)}`,
  };
}

const MOST_REASON = 300;

/** One line that no terminal and no log takes for anything but words. */
export function shortReason(text: string): string {
  const line = text
    .slice(0, 4 * MOST_REASON)
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return bounded(line, MOST_REASON);
}
