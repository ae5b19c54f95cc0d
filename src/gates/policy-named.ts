import type { ToolCall } from "../core/call.ts";
import { allTexts } from "./policy-text.ts";

/** Paths and addresses that a call names, where nothing better is known of what it touches. */
export interface Named {
  readonly names: readonly string[];
  /** Something is only known at run time, so there may be more. */
  readonly isOpen: boolean;
}

/** Words of commands: those that are paths to be seen, and of a program that nothing is known about also `a/b` and `.env`. */
export function namedInCommand({ touches, cwd }: ToolCall): Named {
  let moves = false;
  let isOpen = touches.some(({ kind }) => kind === "unknown");
  const names = touches.flatMap((touch, n) => {
    if (touch.kind !== "command") return [];
    moves ||= MOVERS.test(touch.argv[0] ?? "");
    isOpen ||= touch.argv.includes(null);
    const next = touches[n + 1]?.kind;
    const isPath = next === "path" || next === "url" ? OBVIOUS : LIKELY;
    return touch.argv.flatMap((word) => word?.replace(/^-[^=]*=/, "") ?? []).filter((word) => isPath.test(word) && !word.startsWith("-"));
  });
  const relative = names.some((name) => !STANDS.test(name) && !isAddress(name));
  const here = (name: string) => (cwd === null || STANDS.test(name) || isAddress(name) ? name : `${cwd}/${name}`);
  // Where a relative word leads after a change of folder is not followed here.
  return { names: names.map(here), isOpen: isOpen || (moves && relative) };
}

/** Arguments of a tool that does not say what it touches. */
export function namedInArguments({ touches, input }: ToolCall): Named {
  if (!touches.some(({ kind }) => kind === "unknown")) return { names: [], isOpen: false };
  return { names: allTexts(input).filter((text) => text.length <= LONGEST && !text.includes("\n") && LIKELY.test(text)), isOpen: true };
}

export const isAddress = (name: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(name);

const LONGEST = 4096;
const MOVERS = /(^|\/)(cd|pushd|popd|chdir)$/;
/** `/etc/x`, `~/x`, `../x`, `./x` */
const OBVIOUS = /^(\/|~|\.\.?(\/|$))/;
const LIKELY = /^[~.]|\//;
/** Means the same wherever it is said. */
const STANDS = /^[/~]/;
