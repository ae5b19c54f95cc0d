import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { userConfigPath } from "../../config/paths.ts";
import type { TrustRecords } from "../../core/ports/store.ts";
import { OwnFileError, readOwnFile } from "../../files/own-file.ts";
import { listMarkdownFiles } from "../../host/skills/list-markdown.ts";
import { attempt } from "../../text/attempt.ts";
import { type CommandFile, readCommandFile } from "./command-file.ts";

/** A command that a person wrote as a text file. */
export interface CustomCommand extends CommandFile {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  /** The person's own; else the project's. */
  readonly isOwn: boolean;
}

export interface FoundCommands {
  readonly commands: readonly CustomCommand[];
  /** Files that are left out, and why. */
  readonly broken: readonly { readonly path: string; readonly why: string }[];
}

export interface CommandPlaces {
  /** Canonical. */
  readonly workspace: string;
  readonly home: string;
  readonly env: Parameters<typeof userConfigPath>[0]["env"];
  /** Whether the person's own files are read. */
  readonly own: boolean;
  /** Whether nobody may read a file (`tools.file.deny_read`). */
  readonly isHidden?: (path: string) => boolean;
}

const IN_A_WORKSPACE = [".zeph/commands", ".claude/commands"];
const NAME = /^[a-z0-9][\w-]{0,63}$/i;
const MOST_COMMANDS = 200;
const MOST_BESIDE = 2000;
const MOST_BYTES = 64 * 1024;

/** Reads the files of all places. The person's own come first, so that a project cannot take their names. */
export function findCommands({ workspace, home, env, own, isHidden = () => false }: CommandPlaces): FoundCommands {
  const commands = new Map<string, CustomCommand>();
  const broken: { path: string; why: string }[] = [];
  const places = [
    ...(own ? [join(dirname(userConfigPath({ home, env })), "commands"), join(home, ".claude/commands")] : []).map((folder) => ({
      folder,
      isOwn: true,
    })),
    ...IN_A_WORKSPACE.map((name) => ({ folder: join(workspace, name), isOwn: false })),
  ];
  for (const { folder, isOwn } of places)
    for (const file of listMarkdownFiles(folder, MOST_BESIDE)) {
      const path = join(folder, file);
      const name = file.slice(0, -".md".length);
      // A look that fails is no yes.
      if (!isOwn && attempt(() => isHidden(path), true)) continue;
      if (commands.has(name)) continue;
      if (commands.size >= MOST_COMMANDS) {
        broken.push({ path: folder, why: `there are more than ${MOST_COMMANDS} commands; the rest is left out` });
        break;
      }
      try {
        if (!NAME.test(name)) throw new Error("its name has other characters than letters, digits, - and _");
        const { bytes } = readOwnFile(path, { maxBytes: MOST_BYTES, ...(!isOwn && { inside: workspace }) });
        const hash = createHash("sha256").update(bytes).digest("hex");
        commands.set(name, { name, path, hash, isOwn, ...readCommandFile(bytes) });
      } catch (error) {
        if (!(error instanceof OwnFileError && error.reason === "missing")) broken.push({ path, why: (error as Error).message });
      }
    }
  return { commands: [...commands.values()], broken };
}

/** Under this name the store keeps what a person vouched for: one content of one file. */
export const commandSubject = (path: string): string => `${SUBJECT}${path}`;
export const commandPathOf = (subject: string): string | null => (subject.startsWith(SUBJECT) ? subject.slice(SUBJECT.length) : null);
const SUBJECT = "slash command ";

/** What the person wrote themselves needs no word; what a project brings counts only as they have seen it. */
export const isCommandTrusted = (trust: Pick<TrustRecords, "get">, { isOwn, path, hash }: CustomCommand): boolean =>
  isOwn || trust.get(commandSubject(path)) === hash;

/** Of the file as it is now; null when it is gone or is not read. */
export const hashOfCommand = (path: string): string | null =>
  attempt(
    () =>
      createHash("sha256")
        .update(readOwnFile(path, { maxBytes: MOST_BYTES }).bytes)
        .digest("hex"),
    null,
  );
