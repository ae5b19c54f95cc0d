import { setImmediate } from "node:timers/promises";
import { createQueue } from "../../text/queue.ts";
import { createVectorTable, type VectorTable } from "./vector-products.ts";

/** So much is held in memory for one embedder. Beyond it, only words are searched. */
const MOST_VECTORS = 200_000;
const MOST_BYTES = 400 * 1024 * 1024;
const BATCH = 1_000;
/** Vectors of unrelated texts are not quite at right angles. */
const ALIKE = 0.2;

export interface Neighbours {
  /** Keys of memories, the most alike first. */
  readonly nearest: readonly number[];
  /** Vectors that cannot be compared with the one asked for. */
  readonly damaged: number;
  /** Why there are none. */
  readonly note?: string;
}

/** All vectors of one embedder, one after the other. */
interface Matrix {
  readonly embedder: string;
  readonly dims: number;
  readonly vectors: VectorTable;
  readonly memories: number[];
  readonly workspaces: (string | null)[];
  damaged: number;
  /** How many rows were read, and the newest of them: as long as the table has so many and no newer, nothing has changed. */
  rows: number;
  newest: number;
}

/** Where the vectors are. */
export interface VectorRows {
  /** How many an embedder has, and the newest of them. */
  state(embedder: string): VectorState | Promise<VectorState>;
  /** Those that came after one, by their ids. A vector of another length than asked for is null. */
  next(after: NextVectors): Rows | Promise<Rows>;
}
export interface NextVectors {
  readonly embedder: string;
  readonly after: number;
  readonly dims: number;
  readonly limit: number;
}
type VectorState = { readonly rows: number; readonly newest: number };
type Rows = readonly Record<string, unknown>[];

/** Compares with every vector of one embedder. They are read once and kept, and read again when somebody has added or removed some. */
export function createVectorSearch({
  state,
  next,
}: VectorRows): (embedder: string, of: Float32Array, workspace: string, limit: number) => Promise<Neighbours> {
  let kept: Matrix | null = null;
  /** One reads at a time: searches that come at once would each hold all of them. */
  const inTurn = createQueue();

  const readOn = async (matrix: Matrix): Promise<Matrix> => {
    for (;;) {
      const found = await next({ embedder: matrix.embedder, after: matrix.newest, dims: matrix.dims, limit: BATCH });
      for (const row of found) take(matrix, row);
      if (found.length < BATCH) return matrix;
      await setImmediate();
    }
  };
  /** All of them, or how many there are when they are too many to hold. */
  const current = async (embedder: string, dims: number): Promise<Matrix | { readonly tooMany: number }> => {
    const now = await state(embedder);
    if (kept?.embedder !== embedder || kept.dims !== dims) kept = null;
    if (now.rows > MOST_VECTORS || now.rows * dims * 4 > MOST_BYTES) {
      kept = null;
      return { tooMany: now.rows };
    }
    if (kept && (kept.rows !== now.rows || kept.newest !== now.newest)) {
      // What was only added to is read on; what has lost or replaced some is read anew.
      const grown = await readOn(kept);
      if (grown.rows !== now.rows) kept = null;
    }
    kept ??= await readOn(empty(embedder, dims));
    return kept;
  };
  return async (embedder, of, workspace, limit) => {
    const matrix = await inTurn(() => current(embedder, of.length));
    if ("tooMany" in matrix) return { nearest: [], damaged: 0, note: `there are ${matrix.tooMany} vectors, more than are held in memory` };
    return { nearest: nearest(matrix, of, workspace, limit), damaged: matrix.damaged };
  };
}

const empty = (embedder: string, dims: number): Matrix => ({
  embedder,
  dims,
  vectors: createVectorTable(dims),
  memories: [],
  workspaces: [],
  damaged: 0,
  rows: 0,
  newest: 0,
});

function take(matrix: Matrix, { id, memory, dims, workspace, vector }: Record<string, unknown>): void {
  matrix.rows++;
  matrix.newest = id as number;
  const numbers = dims === matrix.dims && vector instanceof Uint8Array ? numbersOf(vector) : null;
  if (!numbers || (workspace !== null && typeof workspace !== "string")) {
    matrix.damaged++;
    return;
  }
  matrix.vectors.add(numbers);
  matrix.memories.push(memory as number);
  matrix.workspaces.push(workspace);
}

/** Null where one of them is no number. */
function numbersOf(blob: Uint8Array): Float32Array | null {
  // A copy: the bytes need not begin where numbers may.
  const numbers = new Float32Array(blob.slice().buffer);
  let sum = 0;
  for (const number of numbers) sum += number;
  return Number.isFinite(sum) ? numbers : null;
}

function nearest({ vectors, memories, workspaces }: Matrix, of: Float32Array, workspace: string, limit: number): readonly number[] {
  /** Sorted, and never longer than wanted. */
  const alike: { readonly memory: number; readonly likeness: number }[] = [];
  let least = ALIKE;
  let n = 0;
  for (const block of vectors.products(of)) {
    for (const likeness of block) {
      const place = workspaces[n];
      const memory = memories[n++]!;
      if (likeness < least || (place !== null && place !== workspace)) continue;
      const before = alike.findIndex((other) => other.likeness < likeness);
      alike.splice(before < 0 ? alike.length : before, 0, { memory, likeness });
      if (alike.length > limit) alike.pop();
      if (alike.length === limit) least = alike[limit - 1]!.likeness;
    }
  }
  return alike.map(({ memory }) => memory);
}
