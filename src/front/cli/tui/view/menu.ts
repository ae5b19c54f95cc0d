import type { Theme } from "../theme.ts";
import { columnsOfLine, cutLine, padLine } from "../width.ts";
import { shownLine } from "./shown-text.ts";

/** An entry of the menu below the line that is typed. */
export interface MenuItem {
  readonly name: string;
  readonly help?: string;
}

/** So many entries are on the screen, where there is room. */
const MOST = 7;
const ABOVE = 3;
const WIDEST = 26;

/** The entries around the chosen one; where there are more, how many. */
export function menuLines(items: readonly MenuItem[], chosen: number, width: number, theme: Theme, rows = MOST + 1): string[] {
  const { dim, signs } = theme;
  if (items.length === 0) return [dim(cutLine("   nothing fits", width, signs.cut))];
  const most = Math.min(MOST, rows);
  const from = Math.max(0, Math.min(chosen - Math.min(ABOVE, most - 1), items.length - most));
  const shown = items
    .slice(from, from + most)
    .map(({ name, help = "" }) => ({ name: shownLine(name, signs), help: shownLine(help, signs) }));
  const hasHelp = shown.some(({ help }) => help !== "");
  const widest = hasHelp ? Math.min(WIDEST, Math.max(...shown.map(({ name }) => columnsOfLine(name)))) : width;
  const lines = shown.map(({ name, help }, n) => menuEntry(name, help, n + from === chosen, widest, width, theme));
  return items.length > most && rows > most ? [...lines, dim(cutLine(`   ${chosen + 1} of ${items.length}`, width, signs.cut))] : lines;
}

/** A sign before the chosen one, its name bold, and a help beside it. */
export function menuEntry(name: string, help: string, isChosen: boolean, columns: number, width: number, theme: Theme): string {
  const { accent, bold, dim, signs } = theme;
  const room = Math.max(1, Math.min(columns, width - 3));
  const text = cutLine(name, room, signs.cut);
  const left = ` ${isChosen ? accent(signs.chosen) : " "} ${isChosen ? bold(text) : text}`;
  if (help === "" || width < columns + 8) return cutLine(left, width, signs.cut);
  return cutLine(`${padLine(left, columns + 3)}  ${dim(help)}`, width, signs.cut);
}
