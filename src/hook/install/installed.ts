import { constants, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { closeAfter } from "../../files/descriptor.ts";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import type { ClientName, HookMode } from "../client.ts";
import type { HookScope, OnFailure } from "./client-plan.ts";
import type { WrittenText } from "./edit-text.ts";
import type { ProgramSign } from "./hook-program.ts";

/** What `zeph hook install` wrote into one file. */
export interface InstalledHook extends WrittenText {
  readonly client: ClientName;
  readonly scope: HookScope;
  readonly file: string;
  /** Whose calls it is about: those below this folder; null where it is everybody's. */
  readonly folder: string | null;
  readonly mode: HookMode;
  readonly onFailure: OnFailure;
  /** The program that the client runs, as it was when this was written. */
  readonly program: readonly string[];
  /** Missing where an older version wrote this. */
  readonly programSign?: ProgramSign;
  readonly was: "missing" | "there";
  /** Folders that were made for the file. */
  readonly made: readonly string[];
  readonly at: string;
  /** Of codex: hashes that were trusted already when the file was written, by their keys. They are about what stood there before. */
  readonly oldTrust?: Readonly<Record<string, string>>;
}

const MOST_BYTES = 8 * 1024 * 1024;

export const installedFile = (state: string): string => join(state, "hooks.json");

/** All of them. A record that cannot be read counts as none: entries are then found by their mark. */
export function readInstalled(state: string): readonly InstalledHook[] {
  const text = readOwnText(installedFile(state), { maxBytes: MOST_BYTES, links: "refuse" });
  const data = text === null ? null : attempt(() => JSON.parse(text) as { readonly hooks?: unknown }, null);
  return Array.isArray(data?.hooks) ? (data.hooks as readonly InstalledHook[]) : [];
}

/** What a person chose for a client, for calls in this folder: the nearest folder's choice, then the user's. */
export function chosenFor(installed: readonly InstalledHook[], client: string, folder: string): InstalledHook | null {
  const fits = installed.filter((one) => one.client === client && (one.folder === null || isWithin(one.folder, folder)));
  return [...fits].sort((a, b) => (b.folder?.length ?? 0) - (a.folder?.length ?? 0))[0] ?? null;
}

/** Puts a record in place of the one about the same client and file, or takes that away. */
export function keepInstalled(state: string, client: ClientName, file: string, record: InstalledHook | null): void {
  const others = readInstalled(state).filter((one) => one.client !== client || one.file !== file);
  const path = installedFile(state);
  const temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(temporary, { force: true });
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  const hooks = record === null ? others : [...others, record];
  closeAfter(fd, () => writeFileSync(fd, `${JSON.stringify({ version: 1, hooks }, null, 1)}\n`));
  renameSync(temporary, path);
}
