import { attempt } from "../text/attempt.ts";
/** A bounded place for things that are made again if they are gone: the ones not asked for longest go first. */
export interface BoundedCache<T> {
  get(key: string): T | undefined;
  /** What is larger than its share is not kept. */
  put(key: string, item: T, bytes: number): void;
  /** Only this very item: another may have taken its place. */
  delete(key: string, item: T): void;
  clear(): void;
  readonly entries: number;
  readonly bytes: number;
}

const MOST_ENTRIES = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const LARGEST = MOST_BYTES / 8;

export function createBoundedCache<T>(): BoundedCache<T> {
  const places = new Map<string, { readonly item: T; readonly bytes: number }>();
  let bytes = 0;
  const drop = (key: string) => {
    bytes -= places.get(key)?.bytes ?? 0;
    places.delete(key);
  };
  return {
    get(key) {
      const place = places.get(key);
      if (!place) return undefined;
      places.delete(key);
      places.set(key, place);
      return place.item;
    },
    put(key, item, size) {
      const own = size + key.length * 2;
      drop(key);
      if (own > LARGEST) return;
      places.set(key, { item, bytes: own });
      bytes += own;
      for (const oldest of places.keys()) {
        if (places.size <= MOST_ENTRIES && bytes <= MOST_BYTES) break;
        drop(oldest);
      }
    },
    delete: (key, item) => void (places.get(key)?.item === item && drop(key)),
    clear() {
      places.clear();
      bytes = 0;
    },
    get entries() {
      return places.size;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** A copy of plain data that is held nowhere else, and about how large it is. Null for anything that is more than data. */
export function copyData<T>(value: T): { readonly copy: T; readonly bytes: number } | null {
  let bytes = 0;
  const copy = (item: unknown, depth: number): unknown => {
    bytes += 16;
    if (typeof item === "string") bytes += item.length * 2;
    if (typeof item === "function" || typeof item === "symbol" || depth > MAX_DEPTH) throw new TypeError("not data");
    if (typeof item !== "object" || item === null) return item;
    if (Array.isArray(item)) return item.map((inner) => copy(inner, depth + 1));
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== Object.prototype && prototype !== null) throw new TypeError("not data");
    return Object.fromEntries(Object.entries(item).map(([name, inner]) => [name, copy(inner, depth + 1)]));
  };
  return attempt(() => ({ copy: copy(value, 0) as T, bytes }), null);
}

const MAX_DEPTH = 20;
