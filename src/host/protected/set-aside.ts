import { renameSync } from "node:fs";
import type { Later } from "../../core/ports/shell.ts";
import { steersClient } from "../../core/protected.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { pinDirectory, withPinned } from "../files/pin.ts";
import { type BeforeCommand, changesSinceInTurns } from "./after-command.ts";

const MOST_NAMES = 20;

/** What a command changed of protected files. With `tell`, for a command of another agent, nothing that would end the judging of that agent keeps its name. */
export async function changesAfter(before: BeforeCommand, tell?: (what: string) => void): Promise<readonly Later[]> {
  const later = await changesSinceInTurns(before);
  if (tell) setAside(later, before.roots).forEach(tell);
  return later;
}

/**
 * Gives files another name that appeared while a command of another agent ran and would decide whether that agent is governed: no mount can hold what is
 * not there yet. Returns a sentence for each. Whoever wants one puts it back by its name.
 */
function setAside(later: readonly Later[], roots: readonly string[]): readonly string[] {
  const moved: string[] = [];
  return later.flatMap(({ path, how }) => {
    const root = roots.find((one) => isWithin(one, path));
    if (how !== "appeared" || root === undefined || !steersClient(path.slice(root.length))) return [];
    if (moved.some((folder) => isWithin(folder, path))) return [];
    const name = renamed(path);
    if (name !== null) moved.push(path);
    return name === null
      ? [`${path} appeared, which could end the judging of this agent, and it could not be renamed. A person has to look at it.`]
      : [`${path} appeared, which could end the judging of this agent. It is called ${name} now; only a person may change that.`];
  });
}

function renamed(path: string): string | null {
  for (let n = 0; n < MOST_NAMES; n++) {
    const name = `${nameOf(path)}.zeph-held${n === 0 ? "" : `-${n}`}`;
    const isDone = attempt(
      () =>
        withPinned(pinDirectory(parentOf(path)), (dir) => {
          renameSync(dir.at(nameOf(path)), dir.at(name));
          return true;
        }),
      false,
    );
    if (isDone) return name;
  }
  return null;
}
