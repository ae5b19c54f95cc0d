import type { Theme } from "../../theme.ts";
import { cutLine } from "../../width.ts";
import { ruleLine } from "../shown-text.ts";

/** A key as the decoder of the screen names it. */
export interface ViewKey {
  readonly name: string;
  readonly text?: string;
}

/** What a key did: the view closes, is drawn anew or stays; another one opens above it; or something was chosen. */
export type KeyEffect = "close" | "redraw" | "nothing" | { readonly open: FullView } | { readonly chosen: unknown };

/** A view that takes the whole window, until a key closes it. */
export interface FullView {
  readonly title: string;
  /** Exactly `height` lines, none wider than `width`. */
  lines(width: number, height: number): string[];
  key(key: ViewKey): KeyEffect;
}

/** What a key says: its name, or the letters of a text. */
export const keyWord = ({ name, text = "" }: ViewKey): string => (name === "text" ? text : name);

/** The title above, the body, and what the keys do below. */
export function framed(
  body: readonly string[],
  { title, place, keys }: { readonly title: string; readonly place: string; readonly keys: string },
  width: number,
  height: number,
  theme: Theme,
): string[] {
  const cut = (line: string) => cutLine(line, width, theme.signs.cut);
  const room = bodyHeight(height);
  const shown = [...body.slice(0, room), ...Array<string>(Math.max(0, room - body.length)).fill("")];
  return [ruleLine(width, theme, title, place), ...shown.map(cut), ruleLine(width, theme), cut(theme.dim(` ${keys}`))].slice(
    -Math.max(1, height),
  );
}

/** Lines between the title and the keys. */
export const bodyHeight = (height: number): number => Math.max(1, height - 3);
