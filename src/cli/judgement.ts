import type { Judgement } from "../app.ts";
import type { Opinion } from "../core/door.ts";
import { harmless } from "./print.ts";
import { touchText } from "./question.ts";
import type { Colors } from "./terminal.ts";

/** What would be decided about a call, by whom and why. */
export function judgementText({ verdict, why, touches, trace }: Judgement, colors: Colors): string {
  const colour = { allow: colors.green, ask: colors.yellow, deny: colors.red }[verdict];
  return [
    `${colour(verdict)}${why === null ? "" : `: ${harmless(why)}`}`,
    ...touches.map((touch) => `  would ${harmless(touchText(touch))}`),
    ...trace.map((opinion) => `  ${opinionText(opinion, colors)}`),
    "",
  ].join("\n");
}

function opinionText({ gate, kind, rule }: Opinion, colors: Colors): string {
  const said = `${gate.padEnd(12)} ${kind.padEnd(4)}  ${harmless(rule ?? "")}`.trimEnd();
  return kind === "pass" ? colors.dim(said) : said;
}
