import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { foldersFromTop, userConfigPath } from "../../config/paths.ts";
import type { TrustRecords } from "../../core/ports/store.ts";
import { OwnFileError, readOwnFile } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, parentOf } from "../../text/path.ts";

/** A text that says how work is done in a folder and below it, or why it was not read. */
export type Instructions = InstructionText | UnreadInstructions;

export interface InstructionText {
  /** The folder is canonical; the name may be a link. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly hash: string;
}

export interface UnreadInstructions {
  readonly path: string;
  readonly why: string;
}

/** The first of these that a folder has counts. */
const NAMES = ["AGENTS.md", "CLAUDE.md"];
/** Of a file that is longer than what is told of it the beginning is shown; one longer than this is left out. */
const MOST_BYTES = 1024 * 1024;
/** Folders between a workspace and a file in it. */
const DEEPEST = 40;

export interface InstructionPlaces {
  /** Canonical. */
  readonly workspace: string;
  readonly home: string;
}

/** `AGENTS.md` beside the user's configuration: the person's own, so it may be a link to anywhere. */
export const readOwnInstructions = (at: Parameters<typeof userConfigPath>[0]): Instructions | null =>
  readOne(join(dirname(userConfigPath(at)), NAMES[0]!));

/** Those of the folders from the repository's top to the workspace, the nearest last. */
export function findInstructions({ workspace, home }: InstructionPlaces): readonly Instructions[] {
  const folders = foldersFromTop({ cwd: workspace, home });
  return folders.flatMap((folder) => readFolder(folder, folders[0]!) ?? []);
}

/** Those of the folders below the workspace on the way to a file, the nearest last. */
export function instructionsOnTheWay(workspace: string, path: string): readonly Instructions[] {
  if (!isWithin(workspace, path)) return [];
  const folders: string[] = [];
  for (let folder = parentOf(path); folder !== workspace && isWithin(workspace, folder); folder = parentOf(folder)) folders.unshift(folder);
  return folders.slice(-DEEPEST).flatMap((folder) => readFolder(folder, workspace) ?? []);
}

/** Under this name the store keeps what a person vouched for: one content of one file. */
export const instructionSubject = (path: string): string => `${SUBJECT}${path}`;
export const instructionPathOf = (subject: string): string | null => (subject.startsWith(SUBJECT) ? subject.slice(SUBJECT.length) : null);
const SUBJECT = "instructions ";

export const isVouchedFor = (trust: Pick<TrustRecords, "get">, { path, hash }: InstructionText): boolean =>
  trust.get(instructionSubject(path)) === hash;

/** Of the file as it is now; null when it is gone or is not read. */
export const hashOfInstructions = (path: string): string | null =>
  attempt(() => hashOf(readOwnFile(path, { maxBytes: MOST_BYTES }).bytes), null);

/** A link that leads out of the repository is not read: its text would be somebody else's. */
function readFolder(folder: string, top: string): Instructions | null {
  for (const name of NAMES) {
    const found = readOne(join(folder, name), top);
    if (found !== null) return found;
  }
  return null;
}

function readOne(path: string, inside?: string): Instructions | null {
  try {
    const { bytes } = readOwnFile(path, { maxBytes: MOST_BYTES, ...(inside !== undefined && { inside }) });
    return { path, bytes, hash: hashOf(bytes) };
  } catch (error) {
    if (!(error instanceof OwnFileError)) throw error;
    return error.reason === "missing" ? null : { path, why: error.message };
  }
}

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
