import { type Html, html } from "../html.ts";

/** A unified diff with its lines marked; a sign stands before each, so that colour says nothing alone. */
export const diffBlock = (diff: string, label = "What would change"): Html =>
  html`<pre tabindex="0" aria-label="${label}">${diff.replace(/\n$/, "").split("\n").map(diffLine)}</pre>`;

const LOOKS: readonly (readonly [RegExp, string])[] = [
  [/^(?:---|\+\+\+) /, "soft"],
  [/^@@/, "hunk"],
  [/^\+/, "add"],
  [/^-/, "del"],
];

function diffLine(line: string): Html {
  const look = LOOKS.find(([form]) => form.test(line))?.[1];
  return look === undefined ? html`${line}\n` : html`<span class="${look}">${line}</span>\n`;
}
