import type { RuleAction, SourcePath } from "../rules/client-rule.ts";
import type { Piece } from "./piece.ts";

/** A file of another agent, parsed, with the line of everything in it. */
export interface SourceDocument {
  readonly data: unknown;
  readonly leaves: readonly { readonly path: SourcePath; readonly line: number; readonly isOverridden: boolean }[];
}

/** What became of a part of a source file. */
export type Fate =
  | { readonly list: "taken"; readonly pieces: readonly Piece[]; readonly why?: string }
  | { readonly list: "changed"; readonly pieces: readonly Piece[]; readonly why: string }
  | { readonly list: "not taken"; readonly why: string };

/** One line of the report. It stands for some of the file's leaves; together they stand for all, each once. */
export interface ImportEntry {
  readonly line: number;
  /** As it is written there, or the name of the key: never a value that could be a secret. */
  readonly written: string;
  readonly action: RuleAction | null;
  readonly fate: Fate;
  readonly leaves: readonly SourcePath[];
}

export interface ImportLedger {
  /** Says what became of everything below a path that nobody has spoken of yet. */
  claim(path: SourcePath, fate: Fate, as?: { readonly written: string; readonly action: RuleAction | null }): void;
  /** Whatever was not spoken of is not taken. */
  close(): readonly ImportEntry[];
}

/** The leaves below one part of a path. */
interface Branch {
  readonly below: Map<string | number, Branch>;
  leaf: SourceDocument["leaves"][number] | null;
}

export function openLedger({ leaves }: SourceDocument): ImportLedger {
  const entries: ImportEntry[] = [];
  const top: Branch = { below: new Map(), leaf: null };
  for (const leaf of leaves) if (!leaf.isOverridden) branchAt(top, leaf.path).leaf = leaf;
  const claim: ImportLedger["claim"] = (path, fate, as) => {
    const mine = takeLeaves(top, path);
    const [first] = mine;
    // What was spoken of already is told once; what it gave to write is not lost.
    if (first === undefined) return void addPieces(entries, path, fate);
    const found = mine.map((leaf) => leaf.path);
    entries.push({
      line: first.line,
      written: as?.written ?? keyText(path, found.length),
      action: as?.action ?? null,
      fate,
      leaves: found,
    });
  };
  return {
    claim,
    close() {
      for (const { path, line, isOverridden } of leaves)
        if (isOverridden) {
          const fate: Fate = { list: "not taken", why: "the same key stands again below it, and that one counts" };
          entries.push({ line, written: keyText(path, 1), action: null, fate, leaves: [path] });
        }
      const fate: Fate = { list: "not taken", why: "Zeph has nothing that this would set" };
      // One line for all below a key of the top.
      for (const key of [...top.below.keys()]) if (hasLeaves(top.below.get(key)!)) claim([key], fate);
      if (top.leaf) claim([], fate);
      const places = new Map(leaves.map((leaf, n) => [leaf.path, n]));
      const placeOf = ({ leaves: [first] }: ImportEntry) => (first && places.get(first)) ?? 0;
      return entries.sort((a, b) => a.line - b.line || placeOf(a) - placeOf(b));
    },
  };
}

function branchAt(top: Branch, path: SourcePath): Branch {
  let at = top;
  for (const part of path) {
    const next = at.below.get(part) ?? { below: new Map(), leaf: null };
    at.below.set(part, next);
    at = next;
  }
  return at;
}

/** Takes all leaves below a path out of the tree, so that each is taken once. */
function takeLeaves(top: Branch, path: SourcePath): SourceDocument["leaves"][number][] {
  let at: Branch | undefined = top;
  for (const part of path) at = at?.below.get(part);
  const found: SourceDocument["leaves"][number][] = [];
  const walk = (branch: Branch) => {
    if (branch.leaf) found.push(branch.leaf);
    branch.leaf = null;
    for (const inner of branch.below.values()) walk(inner);
    branch.below.clear();
  };
  if (at) walk(at);
  return found;
}

const hasLeaves = ({ leaf, below }: Branch): boolean => leaf !== null || [...below.values()].some(hasLeaves);

function addPieces(entries: ImportEntry[], path: SourcePath, fate: Fate): void {
  const index = entries.findIndex(({ leaves }) => leaves.some((leaf) => isBelow(leaf, path)));
  const entry = entries[index];
  if (!entry || fate.list === "not taken" || entry.fate.list === "not taken") return;
  entries[index] = { ...entry, fate: { ...entry.fate, pieces: [...entry.fate.pieces, ...fate.pieces] } };
}

const isBelow = (path: SourcePath, top: SourcePath): boolean => top.every((part, n) => path[n] === part);

const keyText = (path: SourcePath, count: number): string =>
  `${path.length === 0 ? "the whole file" : path.join(".")}${count > 1 ? ` (${count} values)` : ""}`;
