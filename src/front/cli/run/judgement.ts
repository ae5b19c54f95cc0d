import type { Opinion } from "../../../core/gate/verdict.ts";
import { touchText } from "../../../question/question.ts";
import type { Judgement } from "../../../runtime/create.ts";
import { type GateView, verdictWords, viewLines } from "../../../runtime/rules/gate-views.ts";
import { visible } from "../../../text/visible.ts";
import type { Colors } from "../terminal/terminal.ts";

/** The decision about a call, the gates behind it and their reasons. */
export function judgementText(found: Judgement, colors: Colors): string {
  return `${verdictText(found, colors)}${viewsText(found.trace.map(viewOf), colors)}`;
}

/** The decision, and what the call would touch. */
export function verdictText(found: Pick<Judgement, "verdict" | "why" | "touches" | "trace">, colors: Colors): string {
  const { verdict, why, touches } = found;
  const colour = { allow: colors.green, ask: colors.yellow, deny: colors.red }[verdict];
  const lines = [
    `${colour(verdictWords(found))}${why === null ? "" : `: ${visible(why)}`}`,
    ...touches.map((touch) => `  would ${visible(touchText(touch))}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The opinion of each gate, one line each; objections stand out. */
export const viewsText = (views: readonly GateView[], colors: Colors): string =>
  viewLines(views)
    .map(({ text, kind }) => `  ${kind === "ask" || kind === "deny" ? visible(text) : colors.dim(visible(text))}\n`)
    .join("");

const viewOf = (said: Opinion): GateView => ({
  gate: said.gate,
  kind: said.kind,
  ...(typeof said.rule === "string" && { rule: said.rule }),
  ...(said.kind !== "pass" && { why: said.why }),
});
