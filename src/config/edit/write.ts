import {
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeAfter } from "../../files/descriptor.ts";
import { Moved, type Pinned, pinOrMake, withPinned } from "../../host/files/pin.ts";
import { isWithin } from "../../text/path.ts";
import { ConfigError } from "../problem.ts";
import { type FromProject, readConfigText } from "../read.ts";

/** For what is made new; what exists keeps its mode. */
export interface Modes extends Partial<FromProject> {
  readonly file: number;
  readonly folder: number;
}
export const PRIVATE: Modes = { file: 0o600, folder: 0o700 };
export const SHARED: Modes = { file: 0o644, folder: 0o755 };

/**
 * Writes the whole file or nothing: a temporary file beside it, then a rename. A link is followed, not replaced.
 * `before` is what the caller read (null: no file); when something else stands there by now, nothing is written.
 */
export function replaceConfigFile(file: string, before: string | null, text: string, modes: Modes = PRIVATE): void {
  const target = realOf(targetOf(file));
  const from = modes.inside === undefined ? undefined : { inside: modes.inside };
  if (from && !isWithin(realpathSync(from.inside), target)) throw leadsOut(file, from);
  try {
    withPinned(pinOrMake(dirname(target), modes.folder), (dir) =>
      replaceIn(dir, basename(target), text, modes.file, () => readConfigText(file, from) === before),
    );
  } catch (error) {
    throw error instanceof Moved || error instanceof Changed ? changedMeanwhile(file) : error;
  }
}

class Changed extends Error {}

const changedMeanwhile = (file: string) =>
  new ConfigError([{ file, message: "Something else changed this file just now. Nothing was written; try again." }]);

/** In the folder that is held from here on, whatever its path leads to meanwhile. */
function replaceIn(dir: Pinned, name: string, text: string, newMode: number, isUnchanged: () => boolean): void {
  const mode = existsSync(dir.at(name)) ? statSync(dir.at(name)).mode & 0o7777 : newMode;
  const temporary = `.${name}.${process.pid}.${Date.now().toString(36)}.tmp`;
  const fd = openSync(dir.at(temporary), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    closeAfter(fd, () => {
      writeFileSync(fd, text);
      fchmodSync(fd, mode);
      fsyncSync(fd);
    });
    if (!isUnchanged()) throw new Changed();
    renameSync(dir.at(temporary), dir.at(name));
  } catch (error) {
    rmSync(dir.at(temporary), { force: true });
    throw error;
  }
}

const leadsOut = (file: string, { inside }: FromProject) =>
  new ConfigError([{ file, message: `This is a link, or lies behind one, that leads out of ${inside}. Nothing was written.` }]);

/** Where a file lies, or would. */
const realOf = (path: string): string => (existsSync(path) ? realpathSync(path) : join(realOf(dirname(path)), basename(path)));

/** Copies the file to the first free name of `x.bak`, `x.bak2`, … and returns that name. */
export function backUp(file: string): string {
  for (let n = 1; ; n++) {
    const copy = `${file}.bak${n === 1 ? "" : n}`;
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function targetOf(file: string): string {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  try {
    return realpathSync(file);
  } catch {
    throw new ConfigError([{ file, message: "This link points to nothing. Repair or remove it." }]);
  }
}
