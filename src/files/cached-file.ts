import { lstatSync, statSync } from "node:fs";
import { attempt } from "../text/attempt.ts";
import { keepRecent } from "../text/keep-recent.ts";
import { OwnFileError, readOwnFile } from "./own-file.ts";

/** What became of a file: there is none, it was read and is this, or it is there and could not be read. */
export type CachedFile<T> =
  | { readonly kind: "missing" }
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "unread"; readonly why: string };

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_KEPT = 2000;
const MISSING = { kind: "missing" } as const;

/** Reads and parses files once, and again when the system says that one is another or was changed. `parse` may throw. */
export function createCachedFiles<T>(parse: (path: string, text: string) => T): (path: string, inside?: string) => CachedFile<T> {
  const kept = new Map<string, { readonly sign: string; readonly found: CachedFile<T> }>();
  return (path, inside) => {
    const sign = attempt(() => signOf(path), "hidden");
    if (sign === null) return MISSING;
    if (sign === "hidden") return { kind: "unread", why: "it is not shown to this user" };
    const key = `${path}\0${inside ?? ""}`;
    const known = kept.get(key);
    if (known?.sign === sign) return known.found;
    const found = read(path, inside, parse);
    // One that changed while it was read is read again.
    if (attempt(() => signOf(path), null) === sign) keepRecent(kept, key, { sign, found }, MOST_KEPT);
    return found;
  };
}

/** Null where there is no such name. A link that leads nowhere is a name. */
function signOf(path: string): string | null {
  const named = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (!named) return null;
  if (!named.isSymbolicLink()) return sign(named);
  const target = statSync(path, { throwIfNoEntry: false, bigint: true });
  return `${sign(named)} ${target ? sign(target) : "nowhere"}`;
}

const sign = ({ dev, ino, size, mtimeNs, ctimeNs }: Record<"dev" | "ino" | "size" | "mtimeNs" | "ctimeNs", bigint>): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(" ");

function read<T>(path: string, inside: string | undefined, parse: (path: string, text: string) => T): CachedFile<T> {
  try {
    const { bytes } = readOwnFile(path, { maxBytes: MOST_BYTES, ...(inside !== undefined && { inside }) });
    return { kind: "read", value: parse(path, new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch (error) {
    if (error instanceof OwnFileError && error.reason === "missing") return MISSING;
    return { kind: "unread", why: error instanceof Error ? error.message : String(error) };
  }
}
