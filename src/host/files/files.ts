import { closeSync, type Dirent, lstatSync, renameSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { ToolError } from "../../core/error.ts";
import type { Buffers } from "../../core/ports/editor.ts";
import type { Copied, DirectoryEntry, Files } from "../../core/ports/host.ts";
import { NEVER } from "../../core/tool.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { createEditorBuffers, type ShownFile } from "./editor-buffers.ts";
import { createKnownFiles, type KnownFiles } from "./known-files.ts";
import type { Leftovers } from "./leftovers.ts";
import type { PathRules } from "./paths.ts";
import {
  actOnPath,
  type EntryName,
  judgePath,
  type OpenFile,
  openFile,
  type Pinned,
  pinDirectory,
  pinOrMake,
  withPinnedAsync,
} from "./pin.ts";
import { lineWindowOf, readLineWindow, readWholeText } from "./reading.ts";
import { type SwapGuard, swapGuard } from "./swap-guard.ts";
import { copyEntry, findShownEntry, removeTreeEntry, unreadableBelow } from "./tree.ts";
import { replaceFileText, writeFile } from "./writing.ts";

/**
 * The files of this machine, inside the rules. Whatever is created, renamed or deleted is named relative to a verified directory. An editor that
 * lends its buffers is asked after the rules, about paths that were judged.
 */
export function createLocalFiles(
  rules: PathRules,
  leftovers: Leftovers,
  buffers?: Buffers,
  quietness: SwapGuard = swapGuard,
  seen: KnownFiles = createKnownFiles(),
): Files {
  const lent = createEditorBuffers(buffers, quietness);
  const inTurn = oneAtATimeFor();
  return {
    async lines(_permit, path, window, signal) {
      const shown = lent && (await actOnPath(rules, { kind: "path", access: "read", path }, (canonical) => lent.look(canonical, signal)));
      if (shown?.text !== undefined) {
        await assertMayRead(rules, shown);
        seen.note(shown.canonical, shown.stats, shown.text);
        return { path: shown.canonical, ...lineWindowOf(shown.text, path, window) };
      }
      const file = await actOnPath(rules, { kind: "path", access: "read", path }, (canonical) => openToRead(rules, canonical));
      seen.note(file.canonical, file.stats);
      return { path: file.canonical, ...(await readLineWindow(file, path, window, signal)) };
    },

    async text(_permit, path) {
      const shown = lent && (await actOnPath(rules, { kind: "path", access: "read", path }, (canonical) => lent.look(canonical)));
      if (shown?.text !== undefined) {
        await assertMayRead(rules, shown);
        const { canonical, stats, text } = shown;
        seen.assertFresh(canonical, { stats, text, onDisk: () => readWholeText(openFile(canonical), path) });
        return text;
      }
      return actOnPath(rules, { kind: "path", access: "read", path }, async (canonical) => {
        const file = await openToRead(rules, canonical);
        const text = readWholeText(file, path);
        seen.assertFresh(canonical, { stats: file.stats, text });
        return text;
      });
    },

    write: (_permit, path, text) =>
      actOnPath(rules, { kind: "path", access: "write", path }, (canonical) =>
        inTurn(canonical, async () => {
          const written = await writeFile(rules, leftovers, canonical, text, lent);
          rememberFile(seen, canonical, lent && text);
          return written;
        }),
      ),

    replace: (_permit, path, before, after) =>
      actOnPath(rules, { kind: "path", access: "write", path }, (canonical) =>
        inTurn(canonical, async () => {
          const written = await replaceFileText(rules, leftovers, canonical, before, after, lent);
          rememberFile(seen, canonical, lent && after);
          return written;
        }),
      ),

    list: (_permit, path) =>
      actOnPath(rules, { kind: "path", access: "read", path }, (canonical) =>
        withPinnedAsync(pinDirectory(canonical), async (dir) => (await readdir(dir.here, { withFileTypes: true })).map(entryOf)),
      ),

    makeDirectory: (_permit, path) =>
      actOnPath(rules, { kind: "path", access: "write", path }, async (canonical) => {
        const created = lstatSync(canonical, { throwIfNoEntry: false }) === undefined;
        pinOrMake(canonical).close();
        return { path: canonical, created };
      }),

    remove: (_permit, path, signal) =>
      actOnPath(rules, { kind: "path", access: "delete", path }, (canonical) =>
        withPinnedAsync(pinDirectory(parentOf(canonical)), async (parent) => {
          const entries = await removeTreeEntry(parent, await findShownEntry(parent, nameOf(canonical)), signal);
          seen.forget(canonical);
          return { path: canonical, entries };
        }),
      ),

    move: (_permit, source, destination, signal) =>
      actOnPath(rules, { kind: "path", access: "delete", path: source }, async (from) => {
        await assertReadable(rules, source);
        const name = await nameThere(from, source);
        assertMovable(rules, name, source);
        const path = await actOnPath(rules, { kind: "path", access: "write", path: destination }, async (to) => {
          assertFree(rules, from, to, destination);
          signal.throwIfAborted();
          await withPinnedAsync(pinDirectory(parentOf(from)), (here) =>
            withPinnedAsync(pinOrMake(parentOf(to)), async (there) => {
              if (renamed(here, name, there, nameOf(to))) return;
              await copyInto({ rules, leftovers, from, name, to, destination, here, there, signal });
              // Cleaning up goes on when the call was cancelled.
              await removeTreeEntry(here, name, NEVER);
            }),
          );
          return to;
        });
        seen.forget(from);
        return { path };
      }),

    copy: (_permit, source, destination, signal) =>
      actOnPath(rules, { kind: "path", access: "read", path: source }, async (from) => {
        await assertReadable(rules, source);
        const name = await nameThere(from, source);
        return actOnPath(rules, { kind: "path", access: "write", path: destination }, async (to) => {
          assertFree(rules, from, to, destination);
          return withPinnedAsync(pinDirectory(parentOf(from)), (here) =>
            withPinnedAsync(pinOrMake(parentOf(to)), (there) =>
              copyInto({ rules, leftovers, from, name, to, destination, here, there, signal }),
            ),
          );
        });
      }),
  };
}

/** Opened and then asked about once more: a file may have another name that it may not be read by. */
export async function openToRead(rules: PathRules, canonical: string): Promise<OpenFile & { readonly canonical: string }> {
  const file = openFile(canonical);
  try {
    await assertMayRead(rules, { canonical, ...file });
    return { canonical, ...file };
  } catch (error) {
    closeSync(file.fd);
    throw error;
  }
}

async function assertMayRead(rules: PathRules, { canonical, stats }: Pick<ShownFile, "canonical" | "stats">): Promise<void> {
  const refusal = await rules.mayReadOpen(canonical, stats);
  if (refusal) throw new ToolError("policy_blocked", refusal.why);
}

/** What is there now is known here: it is a change of our own. An editor may save later, so what it was given is remembered by its text. */
export function rememberFile(seen: KnownFiles, canonical: string, text?: string): void {
  const stats = lstatSync(canonical, { throwIfNoEntry: false });
  if (stats?.isFile()) seen.note(canonical, stats, text);
  else seen.forget(canonical);
}

/** Moving or copying a file under another name would get around the read rules. */
async function assertReadable(rules: PathRules, path: string): Promise<void> {
  const refusal = await unreadableBelow(rules, judgePath(rules, { kind: "path", access: "read", path }));
  if (refusal) throw new ToolError("policy_blocked", refusal.why);
}

/** Its name in its folder, before anything is made for it at the other end. */
function nameThere(from: string, written: string): Promise<EntryName> {
  return withPinnedAsync(pinDirectory(parentOf(from)), async (parent) => {
    const name = from === "/" ? "." : await findShownEntry(parent, nameOf(from));
    if (!lstatSync(parent.at(name), { throwIfNoEntry: false }))
      throw new ToolError("permanent_failure", `${written}: does not exist (ENOENT).`);
    return name;
  });
}

/** What is in a folder whose name is no text was not looked at, so it does not leave the place that the read rules know it by. */
function assertMovable(rules: PathRules, name: EntryName, written: string): void {
  if (typeof name !== "string" && rules.limitsReads)
    throw new ToolError(
      "policy_blocked",
      `${written} has a name that is not text, and there are rules on what may be read. Copy it instead.`,
    );
}

/** Two writers of one file take turns, so that none overwrites what the other was told is done. */
function oneAtATimeFor() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(path) ?? Promise.resolve()).then(work, work);
    const settled = mine.catch(() => {});
    last.set(path, settled);
    try {
      return await mine;
    } finally {
      if (last.get(path) === settled) last.delete(path);
    }
  };
}

function assertFree(rules: PathRules, from: string, to: string, written: string): void {
  if (isWithin(from, to)) throw new ToolError("invalid_parameters", `${written} lies inside the source, so it cannot hold it.`);
  const taken = [to, rules.entry(written)].some((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (taken) throw new ToolError("permanent_failure", `${written} exists already. Choose another destination.`);
}

/** False when the two lie on different file systems and must be copied. */
function renamed(here: Pinned, name: EntryName, there: Pinned, as: string): boolean {
  try {
    renameSync(here.at(name), there.at(as));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EXDEV") return false;
    throw error;
  }
}

interface CopyInto {
  readonly rules: PathRules;
  readonly leftovers: Leftovers;
  readonly from: string;
  readonly name: EntryName;
  readonly to: string;
  readonly destination: string;
  readonly here: Pinned;
  readonly there: Pinned;
  readonly signal: AbortSignal;
}

/** Copies under a temporary name and renames at the end: a copy is there whole or not at all. */
async function copyInto({ rules, leftovers, from, name, to, destination, here, there, signal }: CopyInto): Promise<Copied> {
  const job = { rules, signal, source: from, skipped: [] as string[] };
  const temporary = leftovers.reserve(parentOf(to));
  try {
    const entries = await copyEntry(here, name, there, temporary.name, from, job);
    if (entries === 0) throw new ToolError("permanent_failure", `${from} is neither a file nor a folder and is not copied.`);
    assertFree(rules, from, to, destination);
    renameSync(there.at(temporary.name), there.at(nameOf(to)));
    return { path: to, entries, skipped: job.skipped };
  } catch (error) {
    if (lstatSync(there.at(temporary.name), { throwIfNoEntry: false })) await removeTreeEntry(there, temporary.name, NEVER);
    throw error;
  } finally {
    temporary.release();
  }
}

function entryOf(entry: Dirent): DirectoryEntry {
  const kind = entry.isSymbolicLink() ? "symlink" : entry.isDirectory() ? "dir" : entry.isFile() ? "file" : "other";
  return { name: entry.name, kind };
}
