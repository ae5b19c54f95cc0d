import { groupBy } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";
import { joinNames, quoteListedName } from "./quote-names.ts";

interface Path {
  readonly line: Line;
  readonly folder: string;
  /** What follows the folder. */
  readonly name: string;
}

/** So many paths make it worth to say their folder on its own. */
const FAMILY = 3;
const MOST_LEVELS = 8;

/** A list of paths with each folder said once: `src/a: x.ts y.ts`. Messages between them stay where they are. */
export function groupedPaths(lines: readonly Line[]): readonly Line[] {
  const shown: Line[] = [];
  let list: Line[] = [];
  const end = () => {
    for (const line of familiesOf(list)) shown.push(line);
    list = [];
  };
  for (const line of lines) {
    if (line.text !== "" && !isMessage(line)) list.push(line);
    else {
      end();
      shown.push(line);
    }
  }
  end();
  return shown;
}

/** `find: '/root': Permission denied`. */
export const isMessage = ({ text, errors }: Line): boolean => errors > 0 && /^[\w./-]+: |^\[/.test(text);

/** First by the folder a path is in; what is nearly alone there, by the folder above, and so on. */
function familiesOf(list: readonly Line[]): Line[] {
  const order = new Map(list.map((line, at) => [line, at]));
  const said: { readonly at: number; readonly line: Line }[] = [];
  let strays = list.map((line) => split({ line, folder: line.text, name: "" }));
  for (let level = 0; strays.length > 0; level++) {
    const isLast = level === MOST_LEVELS || strays.every(isAtTop);
    const next: Path[] = [];
    for (const [folder, members] of groupBy(strays, (path) => path.folder)) {
      const lines = members.map(({ line }) => line);
      const isFamily = folder !== "" && members.length >= FAMILY && (isLast || !members.every(isAtTop));
      if (isFamily)
        said.push({
          at: order.get(lines[0]!)!,
          line: standFor(`${quoteListedName(folder)}: ${joinNames(members.map(({ name }) => name))}`, lines),
        });
      else if (isLast) for (const line of lines) said.push({ at: order.get(line)!, line: standFor(quoteListedName(line.text), [line]) });
      else for (const member of members) next.push(isAtTop(member) ? member : split(member));
    }
    strays = next;
  }
  return said.sort((a, b) => a.at - b.at).map(({ line }) => line);
}

/** No folder above this one is left. It waits for others to come up. */
const isAtTop = ({ folder }: Path): boolean => !folder.includes("/", 1);

/** Moves the last part of the folder to the name: `a/b` + `c` is `a` + `b/c`. A slash at the end belongs to the name. */
function split({ line, folder, name }: Path): Path {
  const slash = folder.lastIndexOf("/", folder.length - 2);
  const last = folder.slice(slash + 1);
  const above = slash > 0 ? folder.slice(0, slash) : slash === 0 && folder !== "/" ? "/" : "";
  return { line, folder: above, name: name === "" ? last : `${last}/${name}` };
}
