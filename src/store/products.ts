/** Vectors of one length, one after the other, and how alike each of them is to another. */
export interface Vectors {
  readonly count: number;
  add(numbers: Float32Array): void;
  /** The product of each vector with this one, in the order they were added. Blocks are good until the next is asked for. */
  products(of: Float32Array): Iterable<Float32Array>;
}

/** Rows that lie side by side in memory, and whose products are handed over together. */
const BLOCK = 1024;

export function openVectors(dims: number): Vectors {
  const blocks: Float32Array[] = [];
  const out = new Float32Array(BLOCK);
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(numbers) {
      if (count % BLOCK === 0) blocks.push(new Float32Array(BLOCK * dims));
      blocks.at(-1)!.set(numbers.subarray(0, dims), (count % BLOCK) * dims);
      count++;
    },
    *products(of) {
      for (const [n, block] of blocks.entries()) {
        const size = Math.min(BLOCK, count - n * BLOCK);
        for (let row = 0; row < size; row++) out[row] = product(block, row * dims, of, dims);
        yield out.subarray(0, size);
      }
    },
  };
}

/** Four sums at once, because each addition would otherwise wait for the one before. */
function product(block: Float32Array, from: number, of: Float32Array, dims: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = dims - (dims % 4);
  for (let n = 0; n < whole; n += 4) {
    a += block[from + n]! * of[n]!;
    b += block[from + n + 1]! * of[n + 1]!;
    c += block[from + n + 2]! * of[n + 2]!;
    d += block[from + n + 3]! * of[n + 3]!;
  }
  for (let n = whole; n < dims; n++) a += block[from + n]! * of[n]!;
  return a + b + c + d;
}
