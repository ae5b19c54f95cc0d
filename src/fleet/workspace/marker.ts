import { renameSync, rmSync, writeFileSync } from "node:fs";
import { readOwnText } from "../../files/own-file.ts";
import { isRecord, parseJson } from "../../text/json.ts";

/** What a folder is at, written beside it: a folder that another worker went on from is not used again. */
export interface FolderMarker {
  readonly session: string;
  /** The repository; null for a folder without one. */
  readonly url: string | null;
  /** The last snapshot of it, 0 for none. */
  readonly n: number;
  readonly commit: string | null;
}

export function readMarker(file: string): FolderMarker | null {
  const found = parseJson(readOwnText(file, { maxBytes: 65_536, links: "refuse" }) ?? "");
  if (!isRecord(found)) return null;
  const { session, url, n, commit } = found;
  const isWhole =
    typeof session === "string" &&
    (url === null || typeof url === "string") &&
    typeof n === "number" &&
    (commit === null || typeof commit === "string");
  return isWhole ? { session, url, n, commit } : null;
}

export function writeMarker(file: string, marker: FolderMarker): void {
  writeFileSync(`${file}.new`, JSON.stringify(marker), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const removeMarker = (file: string): void => rmSync(file, { force: true });
