import { createHash } from "node:crypto";
import { chmodSync, existsSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOwnFile } from "../../files/own-file.ts";
import { isExecutable } from "../../files/programs.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { createTemporary } from "../temporary.ts";
import { type Arch, archOf } from "./backends/syscalls.ts";
import type { OtherUser } from "./user.ts";

/** A program that lies in `vendor/`, made by `native/build.sh`. */
export type ShippedName = "bwrap" | "zeph-hook" | "zeph-net" | "zeph-peer" | "zeph-run";

/** What the files in `vendor/` must be. One with another hash is never run. */
export const SHIPPED_HASHES: Readonly<Record<`${ShippedName}-linux-${Arch}`, string>> = {
  "bwrap-linux-arm64": "36075a3020774de5a62767e2cfeefae3ac0846917c43ea8fbe1c33975e0e167a",
  "bwrap-linux-x64": "87bc04686102a266aab718dacfb96d65a81ff798909d28f0096c85b8dabb2a2c",
  "zeph-hook-linux-arm64": "ef88e85dbefd1442506077e7c4dc67c4421f27c74208cc47c78085430fa6ef81",
  "zeph-hook-linux-x64": "d8eda28278e14c12d577b4d72ee9f013d34d16dc1f8eebf6cf6918bbd1b05a1c",
  "zeph-net-linux-arm64": "85a9445b510bdda5ad61b3e5aea685c25b3fdf6d4f2fd86f2205221207e6fdc7",
  "zeph-net-linux-x64": "87f2cb41589aeae4b42740cc4fa728d38f9882041de15205479c3dc33249ef49",
  "zeph-peer-linux-arm64": "96662816d94dd52b683209ab48a507d1f7b1511a912696a105becc1cfc418edd",
  "zeph-peer-linux-x64": "72784b6452ced5b1dd5ea5e883ced8c2d4d565a1b37e99ac25857c1bbe64c096",
  "zeph-run-linux-arm64": "0ffee54e00e27f205ae8955f2bb4d78487169d9508f68f92be1b67af3fa47511",
  "zeph-run-linux-x64": "59d06cdfed61968365fc5ec63bfb99ce5100bcf0ff5eb30ab40f5d166117de7f",
};

export interface ShippedQuery {
  readonly name: ShippedName;
  readonly arch: Arch;
  /** Folders that commands can write: a program in one of them is theirs, not ours. */
  readonly writable: readonly string[];
  /** Who starts it, when that is somebody else. */
  readonly user?: OtherUser | undefined;
  /** Where the files lie; tests put their own here. */
  readonly vendor?: string | null;
}

export type FindShipped = (query: ShippedQuery) => { readonly path: string } | { readonly why: string };

/** Where a shipped program can be started from: its own place, or a private copy when commands or others could write there. */
export const findShipped: FindShipped = ({ name, arch, writable, user, vendor = VENDOR }) => {
  const file = `${name}-linux-${arch}` as const;
  if (vendor === null) return { why: `there is no ${file} in this installation` };
  const source = join(vendor, file);
  const isOurs = (path: string) => !writable.some((root) => isWithin(root, path));
  const key = JSON.stringify([source, user?.uid, isOurs(source)]);
  const known = found.get(key)?.find((path) => isOurs(path) && existsSync(path));
  if (known !== undefined) return { path: known };
  const checked = verified(source, SHIPPED_HASHES[file]);
  if ("why" in checked) return checked;
  const path = inPlace(source, checked.mode, writable, user) ?? copied(file, checked.bytes, writable, user);
  if (path === null) return { why: `there is no place for ${file} that commands cannot write and programs can be started from` };
  found.set(key, [...(found.get(key) ?? []), path]);
  return { path };
};

/** The program that stands before a command; null where there is none for this machine, or none that may be trusted. */
export function findRunner(query: Pick<ShippedQuery, "writable" | "user">, shipped: FindShipped = findShipped): string | null {
  const arch = process.platform === "linux" ? archOf(process.arch) : null;
  const found = arch && shipped({ name: "zeph-run", arch, ...query });
  return found && "path" in found ? found.path : null;
}

/** Looked at once a process. */
const found = new Map<string, readonly string[]>();
const MOST_BYTES = 4 * 2 ** 20;
const STEPS_UP = 5;

/** In the package, above this module: how far above depends on how it was built. */
const VENDOR = ((): string | null => {
  let at = dirname(fileURLToPath(import.meta.url));
  for (let step = 0; step < STEPS_UP; step++, at = dirname(at)) if (existsSync(join(at, "vendor", "LICENSES"))) return join(at, "vendor");
  return null;
})();

function verified(path: string, expected: string): { readonly bytes: Buffer; readonly mode: number } | { readonly why: string } {
  try {
    const { bytes, stats } = readOwnFile(path, { maxBytes: MOST_BYTES });
    if (createHash("sha256").update(bytes).digest("hex") === expected) return { bytes, mode: stats.mode };
    return { why: `${path} is not the file that Zeph was released with, so it is not run. Install Zeph again` };
  } catch (error) {
    return { why: `${path} cannot be read: ${(error as Error).message}` };
  }
}

function inPlace(path: string, mode: number, writable: readonly string[], user: OtherUser | undefined): string | null {
  const real = attempt(() => realpathSync(path), null);
  if (real === null || user || (mode & 0o022) !== 0 || !isExecutable(real)) return null;
  return writable.some((root) => isWithin(root, real) || isWithin(root, path)) ? null : real;
}

/** What is written is what was compared, not what lies there a moment later. A folder may forbid to start programs, so there are several. */
function copied(file: string, bytes: Buffer, writable: readonly string[], user: OtherUser | undefined): string | null {
  for (const base of new Set([tmpdir(), "/tmp", "/var/tmp", "/dev/shm"])) {
    const real = attempt(() => realpathSync(base), null);
    if (real === null || writable.some((root) => isWithin(root, real))) continue;
    const folder = attempt(() => createTemporary({ kind: "walls", base: real }), null);
    if (folder === null) continue;
    const path = join(folder.path, file);
    const isMade = attempt(() => {
      writeFileSync(path, bytes, { mode: 0o555, flag: "wx" });
      chmodSync(path, 0o555);
      if (user) chmodSync(folder.path, 0o711);
      return isExecutable(path);
    }, false);
    if (isMade) return path;
    folder.remove();
  }
  return null;
}
