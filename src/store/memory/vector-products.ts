/** Vectors of one length, one after the other, and how alike each of them is to another. */
export interface VectorTable {
  add(numbers: Float32Array): void;
  /** The product of each vector with this one, in the order they were added. Blocks are good until the next is asked for. */
  products(of: Float32Array): Iterable<Float32Array>;
}

/** Rows whose products are handed over together. */
const BLOCK = 1024;
const PAGE = 65_536;
/** Numbers multiplied in one round of the loop below. */
const WIDTH = 8;

/**
 * Ten thousand vectors of 512 numbers are five million products. V8 makes them one at a time; the processor can make four, and
 * WebAssembly is the only way to ask it to. The program below is one loop inside another.
 */
export function createVectorTable(dims: number): VectorTable {
  const stride = Math.ceil(dims / WIDTH) * WIDTH;
  const [query, out] = [0, stride * 4];
  const rows = out + BLOCK * 4;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((rows + BLOCK * 4) / PAGE) });
  const { multiply } = new WebAssembly.Instance(program(), { m: { m: memory } }).exports as { multiply: Multiply };
  let count = 0;

  const place = (from: number, length: number) => new Float32Array(memory.buffer, from, length);
  return {
    add(numbers) {
      const at = rows + count * stride * 4;
      const missing = at + stride * 4 - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.max(Math.ceil(missing / PAGE), Math.min(memory.buffer.byteLength / PAGE, MOST_GROWTH)));
      place(at, dims).set(numbers);
      count++;
    },
    *products(of) {
      place(query, dims).set(of);
      for (let done = 0; done < count; done += BLOCK) {
        const size = Math.min(BLOCK, count - done);
        const from = rows + done * stride * 4;
        multiply(from, from + size * stride * 4, query, stride * 4, out);
        yield place(out, size);
      }
    },
  };
}
const MOST_GROWTH = 512;

/** As much of it as is used: the types of Node have its name and not its parts. */
interface Assembly {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
}
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Assembly };

type Multiply = (row: number, end: number, query: number, bytes: number, out: number) => void;

let compiled: object | null = null;
function program(): object {
  compiled ??= new WebAssembly.Module(Uint8Array.from(module()));
  return compiled;
}

/** `multiply(row, end, query, bytes, out)`, as bytes of WebAssembly. */
function module(): readonly number[] {
  const [row, end, query, bytes, out, q, stop, a, b] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
  const get = (local: number) => [0x20, local];
  const set = (local: number) => [0x21, local];
  const constant = (n: number) => [0x41, n];
  const plus = [0x6a];
  const isLess = [0x49];
  const simd = (...code: readonly number[]) => [0xfd, ...code];
  const zero = simd(0x0c, ...Array<number>(16).fill(0));
  const load = (offset: number) => simd(0x00, 4, offset);
  const multiplied = simd(0xe6, 0x01);
  const added = simd(0xe4, 0x01);
  const lane = (n: number) => [...get(a), ...simd(0x1f, n)];
  const floatPlus = [0x92];
  const floatStore = [0x38, 2, 0];
  const loop = (...body: readonly number[]) => [0x03, 0x40, ...body, 0x0b];
  const again = [0x0d, 0];
  const move = (local: number, by: number) => [...get(local), ...constant(by), ...plus, ...set(local)];
  const sum = (into: number, offset: number) => [
    ...[...get(into), ...get(row), ...load(offset), ...get(q), ...load(offset), ...multiplied, ...added, ...set(into)],
  ];

  const code = [
    ...loop(
      ...[...zero, ...set(a), ...zero, ...set(b)],
      ...[...get(query), ...set(q), ...get(query), ...get(bytes), ...plus, ...set(stop)],
      ...loop(...sum(a, 0), ...sum(b, 16), ...move(row, 32), ...move(q, 32), ...get(q), ...get(stop), ...isLess, ...again),
      ...[...get(a), ...get(b), ...added, ...set(a)],
      ...[...get(out), ...lane(0), ...lane(1), ...floatPlus, ...lane(2), ...lane(3), ...floatPlus, ...floatPlus, ...floatStore],
      ...move(out, 4),
      ...[...get(row), ...get(end), ...isLess, ...again],
    ),
    0x0b,
  ];
  const I32 = 0x7f;
  const V128 = 0x7b;
  const locals = [2, 2, I32, 2, V128];
  const section = (id: number, ...content: readonly number[]) => [id, ...long(content.length), ...content];
  const body = [...locals, ...code];
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 5, I32, I32, I32, I32, I32, 0),
    ...section(2, 1, ...name("m"), ...name("m"), 0x02, 0, 1),
    ...section(3, 1, 0),
    ...section(7, 1, ...name("multiply"), 0x00, 0),
    ...section(10, 1, ...long(body.length), ...body),
  ];
}

const name = (text: string): readonly number[] => [text.length, ...Buffer.from(text)];
/** A number as WebAssembly writes lengths: seven bits in each byte. */
const long = (n: number): readonly number[] => (n < 128 ? [n] : [(n & 127) | 128, ...long(n >> 7)]);
