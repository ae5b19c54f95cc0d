import { groupBy } from "../../text/group-by.ts";
import { heading, type Line, standFor } from "../line.ts";

/** A path, what is said of it, and the line that says so. */
export interface NamedPath {
  readonly path: string;
  readonly note?: string | undefined;
  readonly line: Line;
}

/** Few paths are written out, so that they can be searched for. */
const FEW = 10;
/** No real path is deeper, and no output may make us build a tower of folders. */
const DEEPEST = 24;
const MOST_FOLDERS = 2 * DEEPEST - 1;

/**
 * Many paths under one label, each folder said once; what stands below a folder and further right is inside it.
 * Names with spaces are in quotes, so every path can be put together again.
 *
 *     staged modified: README.md docs/a.md
 *      src/api/ routes.ts users.ts
 *       v2/ routes.ts users.ts
 */
export function listPaths(label: string, named: readonly NamedPath[], said: readonly Line[] = []): Line[] {
  if (named.length <= FEW) return [standFor([label, ...named.map(entry)].join(" "), [...said, ...named.map(({ line }) => line)])];
  const root = treeOf(named);
  const below: Line[] = [];
  const { texts, lines } = inline(root, "");
  for (const [name, child] of many(root)) show(child, name, " ", below);
  return [standFor([label, ...texts].join(" "), [...said, ...lines]), ...below];
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: { readonly name: string; readonly of: NamedPath }[];
  /** Files in it and below it. */
  count: number;
}

const newFolder = (): Folder => ({ folders: new Map(), files: [], count: 0 });

function treeOf(named: readonly NamedPath[]): Folder {
  const root = newFolder();
  const known = new Map<string, Folder>();
  for (const of of named) {
    const start = folderLength(of.path);
    const path = of.path.slice(0, start);
    const at = known.get(path) ?? open(root, path);
    known.set(path, at);
    at.files.push({ name: of.path.slice(start), of });
  }
  count(root);
  return root;
}

/** How much of a path is folders. A folder's own name ends with a slash; what git has put in quotes stays whole. */
function folderLength(path: string): number {
  if (path.startsWith('"')) return 0;
  let end = path.lastIndexOf("/", path.length - 2) + 1;
  if (end > MOST_FOLDERS && path.split("/", DEEPEST + 1).length > DEEPEST) end = path.split("/", DEEPEST).join("/").length + 1;
  return end;
}

function open(root: Folder, path: string): Folder {
  let at = root;
  for (const part of path === "" ? [] : path.slice(0, -1).split("/")) {
    const next = at.folders.get(part) ?? newFolder();
    at.folders.set(part, next);
    at = next;
  }
  return at;
}

function count(at: Folder): number {
  at.count = at.files.length;
  for (const child of at.folders.values()) at.count += count(child);
  return at.count;
}

function show(shown: Folder, path: string, indent: string, into: Line[]): void {
  let at = shown;
  let base = `${path}/`;
  while (at.files.length === 0 && at.folders.size === 1) {
    const [[name, only]] = at.folders as unknown as [[string, Folder]];
    at = only;
    base += `${name}/`;
  }
  const { texts, lines } = inline(at, "");
  const text = indent + [quotePath(base), ...texts].join(" ");
  into.push(texts.length > 0 ? standFor(text, lines) : heading(text));
  for (const [name, child] of many(at)) show(child, name, `${indent} `, into);
}

const many = ({ folders }: Folder): [string, Folder][] => [...folders].filter(([, { count }]) => count > 1);

/** The files of a folder, and files that are alone in a folder below it. */
function inline(at: Folder, base: string): { texts: string[]; lines: Line[] } {
  const texts: string[] = [];
  const lines: Line[] = [];
  for (const { name, of } of at.files) {
    texts.push(quotePath(base + name) + (of.note ?? ""));
    lines.push(of.line);
  }
  for (const [name, child] of at.folders) {
    if (child.count > 1) continue;
    const only = inline(child, `${base}${name}/`);
    texts.push(...only.texts);
    for (const line of only.lines) lines.push(line);
  }
  return { texts, lines };
}

const entry = ({ path, note = "" }: NamedPath): string => quotePath(path) + note;

export const quotePath = (path: string): string => (path.includes(" ") && !path.startsWith('"') ? `"${path}"` : path);

/** `old -> new`: one line each, but files that moved together and kept their names share one. */
export function listRenames(
  label: string,
  renames: readonly (NamedPath & { readonly from: string })[],
  said: readonly Line[] = [],
): Line[] {
  const lines = (all: readonly NamedPath[]): Line[] => all.map((one) => one.line);
  const written = ({ from, path, note = "" }: NamedPath & { readonly from: string }): string =>
    `${quotePath(from)} -> ${quotePath(path)}${note}`;
  if (renames.length === 1) return [standFor(`${label} ${written(renames[0]!)}`, [...said, ...lines(renames)])];
  const together = groupBy(renames, (rename) => {
    const [from, to] = [split(rename.from), split(rename.path)];
    const isMove = from.name === to.name && !rename.from.includes('"');
    return isMove ? `${quotePath(from.folder)} -> ${quotePath(to.folder)}` : `\n${rename.from}\n${rename.path}`;
  });
  const shown = [...together].flatMap(([key, group]) =>
    group.length > 2
      ? [standFor([` ${key}`, ...group.map((one) => entry({ ...one, path: split(one.path).name }))].join(" "), lines(group))]
      : group.map((one) => standFor(` ${written(one)}`, [one.line])),
  );
  return [standFor(label, said), ...shown];
}

function split(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf("/") + 1;
  return { folder: at === 0 ? "./" : path.slice(0, at), name: path.slice(at) };
}
