import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { statEntry } from "../../files/stat.ts";
import { isWithin } from "../../text/path.ts";
import { realDisk } from "../sandbox/disk.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { createTemporary, type Temporary } from "../temporary.ts";

/** A file as it lies here, and where commands see it. */
export type PlacedFile = readonly [from: string, to: string];

/** A text that commands find at a place inside. */
export interface PlacedText {
  readonly name: string;
  readonly text: string;
  readonly to: string;
}

export interface PlacedFiles {
  put(writable: readonly string[], texts: readonly PlacedText[]): PlacedFile[];
  close(): void;
}

/** Files of ours in a private folder, which lies in none that commands can write. */
export function openPlacedFiles(user: OtherUser | undefined): PlacedFiles {
  let folder: { readonly base: string; readonly made: Temporary } | null = null;
  const written = new Map<string, string>();
  const close = () => {
    folder?.made.remove();
    folder = null;
    written.clear();
  };
  return {
    put(writable, texts) {
      const isWritten = (path: string) => writable.some((root) => isWithin(root, path));
      // A machine that clears its temporary folders may have taken it away.
      if (folder && (isWritten(folder.base) || statEntry(folder.made.path) === null)) close();
      const base = folder?.base ?? BASES.map((path) => realDisk.real(path)).find((path) => path !== null && !isWritten(path));
      if (!base) return [];
      folder ??= { base, made: createTemporary({ kind: "day", base, owner: user }) };
      const { path } = folder.made;
      return texts.map(({ name, text, to }): PlacedFile => {
        const file = `${path}/${name}`;
        if (written.get(name) !== text || statEntry(file) === null) writeFileSync(file, text, { mode: user ? 0o644 : 0o600 });
        written.set(name, text);
        return [file, to];
      });
    },
    close: () => close(),
  };
}

const BASES = [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"];
