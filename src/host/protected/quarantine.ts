import { realpathSync, renameSync } from "node:fs";
import type { ApprovedCall } from "../../core/door.ts";
import type { CommandStreams, Later } from "../../core/ports/shell.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { type Pinned, pinDirectory, pinOrMake, withPinned } from "../files/pin.ts";
import { type BeforeCommand, changesSince } from "./after-command.ts";
import { finishInTurns } from "./folders.ts";
import { steeringAmong } from "./steering-files.ts";
import { sweepProtected } from "./sweep.ts";
import { liftedIn } from "./unprotected.ts";

/**
 * What a command left that programs outside the walls run or obey. Where it is the command of another agent, which lends its streams, what is new and
 * steers an agent or Zeph is moved out of the workspace: a mount can only hold what exists. Nothing is deleted, for a person may want it.
 */
export async function laterThanCommand(
  before: BeforeCommand,
  permit: ApprovedCall,
  streams: CommandStreams | undefined,
  folder: string | undefined,
): Promise<readonly Later[]> {
  if (!streams || folder === undefined) return changesSince(before);
  const later = await withoutSteering(before, liftedIn(permit), `${folder}/${permit.call.id}`);
  streams.left(later);
  return later;
}

async function withoutSteering(before: BeforeCommand, lifted: readonly string[], folder: string): Promise<readonly Later[]> {
  const { spots } = await finishInTurns(sweepProtected(before.roots));
  const fresh = steeringAmong(spots, before.roots).filter((path) => !before.steering.has(path) && !lifted.includes(path));
  // The folder goes with all that is in it.
  const whole = fresh.filter((path) => !fresh.some((other) => other !== path && isWithin(other, path)));
  const moved = whole.flatMap((path, n): Later[] => {
    const to = moveAway(path, folder, n);
    return to === null ? [] : [{ path, how: "was moved away", to }];
  });
  const rest = await changesSince(before);
  return [...moved, ...rest.filter(({ path }) => !moved.some((one) => isWithin(one.path, path)))];
}

/** The place it is at now. On another file system, or where that folder cannot be had, it stays beside its place, under a name that nobody obeys. */
function moveAway(path: string, folder: string, n: number): string | null {
  const parent = attempt(() => realpathSync(parentOf(path)), null);
  if (parent === null) return null;
  const name = nameOf(path);
  const kept = `${n}-${name}`;
  const inert = `zeph-quarantine-${nameOf(folder)}-${kept}`;
  const toState = (from: Pinned) =>
    withPinned(pinOrMake(folder), (to) => {
      renameSync(from.at(name), to.at(kept));
      return `${folder}/${kept}`;
    });
  const beside = (from: Pinned) => {
    renameSync(from.at(name), from.at(inert));
    return `${parent}/${inert}`;
  };
  return attempt(() => withPinned(pinDirectory(parent), (from) => attempt(() => toState(from), null) ?? beside(from)), null);
}
