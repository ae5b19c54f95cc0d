import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../../core/error.ts";
import { isWithin, nameOf, parentOf } from "../../../text/path.ts";
import { type Pinned, pinDirectory } from "../../files/pin.ts";
import type { PlaceIdentity, Policy } from "../../sandbox/policy.ts";
import type { OtherUser } from "../../sandbox/user.ts";
import { createTemporary, type Temporary } from "../../temporary.ts";
import { findChanges, type RehearsedChanges, type RehearsedTrees } from "./changes.ts";
import { type CopyOptions, copyBelow, copyFileRoot, ignoredFolders, refuseTooLarge } from "./copy.ts";
import { type Layers, openLayers } from "./layers.ts";

/** A place where a command may do as it likes: layers over the folders it may change, or copies of them. What it changed is read off, and all of it is dropped. */
export interface Rehearsal {
  /** The same walls, with what stands in for the writable folders. Throws when there is a folder that nothing stands in for. */
  walls(policy: Policy): Policy;
  /** For the one who asked: what was left out. */
  readonly notes: readonly string[];
  changes(): Promise<RehearsedChanges>;
  drop(): void;
}

export interface RehearsalOptions {
  readonly roots: readonly string[];
  readonly user?: OtherUser | undefined;
  /** Paths the command is known to touch. */
  readonly touched: readonly string[];
  readonly signal: AbortSignal;
  /** Tests put their own here. */
  readonly open?: typeof openLayers;
}

/** Through held folders from the first look to the last: what a command swaps for a link meanwhile is not followed. */
export async function openRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const held: Root[] = [];
  try {
    for (const path of options.roots) held.push(holdRoot(path));
  } catch (error) {
    release(held);
    throw error;
  }
  return prepared(held, options);
}

const holdRoot = (path: string): Root =>
  lstatSync(path).isDirectory() ? { path, pin: pinDirectory(path), is: "folder" } : { path, pin: pinDirectory(parentOf(path)), is: "file" };

/** A folder, or the one that holds a single file. */
interface Root {
  readonly path: string;
  readonly pin: Pinned;
  readonly is: "folder" | "file";
}

async function prepared(held: readonly Root[], options: RehearsalOptions): Promise<Rehearsal> {
  const folders = held.filter(({ is }) => is === "folder");
  const layers = folders.length > 0 ? await (options.open ?? openLayers)(folders, options.user) : null;
  const temporary = createTemporary({ kind: "rehearsal", owner: options.user });
  const opened: Pinned[] = [];
  const drop = () => {
    for (const pin of opened) pin.close();
    release(held);
    layers?.remove();
    temporary.remove();
  };
  try {
    const files = await copyFiles(
      held.filter(({ is }) => is === "file"),
      temporary,
      opened,
    );
    const copies = layers ? null : await copyFolders(folders, temporary, options, opened);
    const standIns = new Map([
      ...(copies?.skipped ?? []).map(({ path }) => [path, path] as const),
      ...folders.map(({ path }, n) => [path, layers?.merged[n] ?? copies!.folders[n]!] as const),
      ...files.map(({ path, copy }) => [path, copy] as const),
    ]);
    return {
      walls: (policy) => standing(policy, standIns, layers, copies?.skipped ?? []),
      notes: (copies?.skipped ?? []).map(({ path }) => `${path} is ignored by git and was left as it is, read-only.`),
      changes: () => findChanges([...(layers ? layerTrees(folders, layers, opened) : copies!.trees), ...files.map(({ trees }) => trees)]),
      drop,
    };
  } catch (error) {
    drop();
    throw error;
  }
}

function standing(policy: Policy, standIns: ReadonlyMap<string, string>, layers: Layers | null, skipped: readonly PlaceIdentity[]): Policy {
  const bare = policy.write.find((root) => !standIns.has(root));
  if (bare !== undefined)
    throw new ToolError("permanent_failure", `${bare} has become writable to commands just now, so nothing was tried. Try again.`);
  // Nothing of a dry run is kept, in the session's own folders neither.
  const { cache: _cache, temp: _temp, ...rest } = policy;
  return {
    ...rest,
    // What stands in for a git folder lies on another file system than the workspace, where git would not look for it.
    ...(policy.outer && { env: { ...policy.env, GIT_DISCOVERY_ACROSS_FILESYSTEM: "1" } }),
    standIns,
    ...(layers && { overlay: layers.overlay }),
    alsoHeld: skipped,
    protect: { ...policy.protect, frozen: [...policy.protect.frozen, ...skipped.map(({ path }) => path)] },
  };
}

function layerTrees(folders: readonly Root[], layers: Layers, opened: Pinned[]): RehearsedTrees[] {
  return folders.map(({ path, pin }, n) => {
    const upper = pinDirectory(layers.uppers[n]!);
    opened.push(upper);
    return { root: path, before: pin, after: upper, kind: { is: "layer", opaque: layers.opaque(n).folders } };
  });
}

async function copyFolders(folders: readonly Root[], temporary: Temporary, { touched, signal }: RehearsalOptions, opened: Pinned[]) {
  const optionsFor = ({ path, pin }: Root): CopyOptions => {
    const isIgnored = ignoredFolders(pin);
    const isTouched = (place: string) => touched.some((one) => isWithin(place, one) || isWithin(one, place));
    // What stands in for it is mounted by its path, so its name has to be text.
    const isText = (name: string) => !/[\x80-\xff]/.test(name);
    return { signal, isSkipped: (at) => isIgnored(at) && isText(at) && !isTouched(`${path}${at}`) };
  };
  for (const root of folders) await refuseTooLarge(root.pin, optionsFor(root));
  const copies: string[] = [];
  const trees: RehearsedTrees[] = [];
  const skipped: PlaceIdentity[] = [];
  for (const [n, root] of folders.entries()) {
    const place = join(temporary.path, String(n));
    mkdirSync(place, { mode: 0o700 });
    const copy = pinDirectory(place);
    opened.push(copy);
    const copied = await copyBelow(root.pin, copy, optionsFor(root));
    copies.push(place);
    skipped.push(...[...copied.skipped].map(([at, mark]) => ({ path: `${root.path}${at}`, mark })));
    trees.push({ root: root.path, before: root.pin, after: copy, kind: { is: "copy", ...copied } });
  }
  return { folders: copies, trees, skipped };
}

/** A file cannot have a layer above it. */
async function copyFiles(files: readonly Root[], temporary: Temporary, opened: Pinned[]) {
  const found: { readonly path: string; readonly copy: string; readonly trees: RehearsedTrees }[] = [];
  for (const [n, { path, pin }] of files.entries()) {
    const name = nameOf(path);
    const place = join(temporary.path, `file-${n}`);
    mkdirSync(place, { mode: 0o711 });
    const after = pinDirectory(place);
    opened.push(after);
    await copyFileRoot(pin, name, after);
    const only = [Buffer.from(name).toString("latin1")];
    const kind = { is: "copy", marks: new Map(), skipped: new Map() } as const;
    found.push({ path, copy: join(place, name), trees: { root: parentOf(path), only, before: pin, after, kind } });
  }
  return found;
}

function release(held: readonly Root[]): void {
  for (const { pin } of held) pin.close();
}
