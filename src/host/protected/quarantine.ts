import { lstatSync, renameSync } from "node:fs";
import type { ApprovedCall } from "../../core/door.ts";
import type { CommandStreams, Later } from "../../core/ports/shell.ts";
import { entryIdentity, statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { type EntryName, type Pinned, pinBelow, pinInside, pinOrMake, whileOpen, withPinned } from "../files/pin.ts";
import { type BeforeCommand, changesSince, newlyUnseen } from "./after-command.ts";
import { finishInTurns } from "./folders.ts";
import { type SteeringFile, steeringAmong } from "./steering-files.ts";
import { type Look, sweepProtected, wayTo } from "./sweep.ts";
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

/** Another command may move folders about while one is looked through, so it is done again until nothing is left to be moved. At least so often, */
const FEWEST_ROUNDS = 5;
/** and for so long: what is exchanged all the time lies under neither name at some looks. */
const ROUNDS_MS = 150;

/** How long, in each round, what was found is looked for under its name, while that leads elsewhere for the moment. */
const SEARCH_MS = 40;

/** `between` is called after each look, before anything is moved: tests act there. */
export async function withoutSteering(
  before: BeforeCommand,
  lifted: readonly string[],
  folder: string,
  between: () => void = () => {},
): Promise<readonly Later[]> {
  const moved: Later[] = [];
  let count = 0;
  const end = performance.now() + ROUNDS_MS;
  for (let round = 0; round < FEWEST_ROUNDS || performance.now() < end; round++) {
    const look = await finishInTurns(sweepProtected(before.roots, { before: before.found.sweep }));
    const steering = steeringAmong(look, before.roots);
    const wanted = outermost([...freshSteering(before, steering.files, lifted), ...freshUnseen(before, look)]);
    between();
    const until = performance.now() + SEARCH_MS;
    const gone = wanted.flatMap((one): Later[] => {
      const to = findAndMove(one, folder, `${count++}-${nameOf(one.path)}`, until);
      return to === null ? [] : [{ path: one.path, how: "was moved away", to, ...(one.why !== undefined && { why: one.why }) }];
    });
    moved.push(...gone);
    if (look.isSteady && steering.isSteady && gone.length === wanted.length) break;
  }
  const rest = await changesSince(before);
  return [...moved, ...rest.filter(({ path }) => !moved.some((one) => isWithin(one.path, path)))];
}

type Wanted = Pick<SteeringFile, "path" | "way" | "identity"> & { readonly why?: string };

function freshSteering(before: BeforeCommand, found: readonly SteeringFile[], lifted: readonly string[]): Wanted[] {
  const { isComplete } = before.found.sweep;
  // Where not everything was looked through before, a file that did not change since is nobody's work but the person's.
  const isNew = ({ path, changedMs }: SteeringFile) =>
    !before.steering.has(path) && (isComplete || changedMs >= before.startedMs - STEP_MS);
  return found.filter((one) => isNew(one) && !lifted.includes(one.path));
}

/** Times of files are counted in steps of up to 10 ms. */
const STEP_MS = 100;

/** Folders that are new and that nobody can look into: the highest of them that is new. */
function freshUnseen({ roots, found }: BeforeCommand, look: Look): Wanted[] {
  if (!found.sweep.isComplete) return [];
  const isNew = (path: string) => !found.sweep.folders.has(path) && !roots.includes(path);
  const wanted = new Map<string, Wanted>();
  for (const { path, why } of newlyUnseen(found, look.unseen)) {
    let top = path;
    while (isNew(top) && isNew(parentOf(top)) && roots.some((root) => isWithin(root, parentOf(top)))) top = parentOf(top);
    const way = isNew(top) && !wanted.has(top) ? wayTo(look, roots, top) : null;
    const identity = way && identityAt(way);
    if (way && identity) wanted.set(top, { path: top, way, identity, why: top === path ? why : `holds a folder that ${why}` });
  }
  return [...wanted.values()];
}

const identityAt = ({ root, names }: Wanted["way"]): string | null =>
  attempt(
    () =>
      withPinned(pinBelow(root, names.slice(0, -1), 0o100), (dir) => {
        const stats = statEntry(dir.at(names.at(-1)!));
        return stats && entryIdentity(stats);
      }),
    null,
  );

/** A folder goes with all that is in it. */
const outermost = (all: readonly Wanted[]): Wanted[] =>
  all.filter(({ path }, n) => !all.some((other, m) => (other.path === path ? m < n : isWithin(other.path, path))));

/**
 * Another command may exchange the folders above a file a thousand times a second. The name is only a way to find what was judged, so looking again is
 * safe: whatever is found is compared. What somebody removed is not waited for, unless a folder above it is away as well.
 */
function findAndMove(one: Wanted, folder: string, kept: string, until: number): string | null {
  for (;;) {
    const to = moveAway(one, folder, kept);
    if (to !== null || performance.now() >= until || isRemoved(one)) return to;
  }
}

const isRemoved = ({ way: { root, names } }: Wanted): boolean =>
  attempt(() => withPinned(pinBelow(root, names.slice(0, -1), 0o100), (dir) => statEntry(dir.at(names.at(-1)!)) === null), false);

/**
 * The place it is at now; null when it could not be moved, or is not there any more. The folder it lies in is reached from the root without following a
 * link, held open, and asked for what was judged: another file of that name stays. On another file system, or where the folder of the quarantine
 * cannot be had, it stays beside its place, under a name that nobody obeys.
 */
function moveAway({ way: { root, names }, identity }: Wanted, folder: string, kept: string): string | null {
  const name = names.at(-1)!;
  const isIt = (dir: Pinned, one: EntryName) => {
    const stats = statEntry(dir.at(one));
    return stats !== null && entryIdentity(stats) === identity;
  };
  const inert = `zeph-quarantine-${nameOf(folder)}-${kept}`;
  const move = (from: Pinned, to: Pinned, as: string): boolean => {
    if (!isIt(from, name)) return false;
    withRights(from, name, () => renameSync(from.at(name), to.at(as)));
    if (isIt(to, as)) return true;
    // Exchanged in the last moment. What came along goes back, unless its place is taken: then it is kept here.
    if (!lstatSync(from.at(name), { throwIfNoEntry: false })) renameSync(to.at(as), from.at(name));
    return false;
  };
  const toState = (from: Pinned) => withPinned(pinOrMake(folder), (to) => (move(from, to, kept) ? `${folder}/${kept}` : null));
  const beside = (from: Pinned) => (move(from, from, inert) ? `${[root, ...names.slice(0, -1)].join("/")}/${inert}` : null);
  return attempt(
    () => withPinned(pinBelow(root, names.slice(0, -1), 0o300), (from) => attempt(() => toState(from), null) ?? beside(from)),
    null,
  );
}

/** A folder that is moved into another one is written to: its entry `..` changes. */
function withRights(dir: Pinned, name: EntryName, move: () => void): void {
  const inner = statEntry(dir.at(name))?.isDirectory() ? attempt(() => pinInside(dir, name), null) : null;
  if (inner === null) move();
  else withPinned(inner, () => whileOpen(inner, 0o300, move));
}
