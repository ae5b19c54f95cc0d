import { withoutStyles } from "../../../../../text/width/columns.ts";
import type { MarkdownStyle } from "../../../terminal/markdown-block.ts";
import type { Theme } from "../../theme.ts";
import { wrapLine } from "../../width.ts";

/** Markdown in the colours and signs of a theme. A word longer than a line is broken. */
export const createMarkdownStyle = (theme: Theme): MarkdownStyle => ({
  bold: theme.bold,
  italic: theme.em,
  strike: theme.strike,
  code: theme.code,
  dim: theme.dim,
  link: (text, address) => drawLink(text, address, theme),
  bullet: theme.signs.bullet,
  quote: `${theme.signs.pipe} `,
  rule: theme.signs.rule,
  wrapped: (text, width, first, next) => wrapLine(first + text, width, { hang: next, hard: true }),
});

/** Addresses that a click may open. */
const OPENED = /^(?:https?:\/\/|mailto:)/i;
const LOOKS_LIKE_ADDRESS = /:\/\/|www\.|^[\w-]+(?:\.[\w-]+)+/i;

/** The address is hidden behind the text only where the text does not name another one. */
function drawLink(text: string, address: string, { accent, dim, link }: Theme): string {
  const shown = accent(text);
  const bare = withoutStyles(text);
  const isOwn = bare === address || `mailto:${bare}` === address || `http://${bare}` === address;
  const linked = link !== null && OPENED.test(address) ? link(shown, address) : shown;
  return isOwn || (linked !== shown && !LOOKS_LIKE_ADDRESS.test(bare)) ? linked : `${linked} ${dim(`(${address})`)}`;
}
