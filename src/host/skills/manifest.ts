import { attempt } from "../../text/attempt.ts";
import { type FrontMatterEntry, FrontMatterError, splitFrontMatter } from "./front-matter.ts";
import { entryItems, entryPairs, entryText } from "./scalars.ts";

/** What a SKILL.md says. */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly asks: readonly string[];
  readonly notes: readonly string[];
  readonly license: string | null;
  readonly metadata: readonly (readonly [name: string, text: string])[];
  readonly body: string;
}

/** A skill nobody can use; the message says why. */
export class BrokenManifest extends Error {}

export const LARGEST_MANIFEST = 256 * 1024;
const LONGEST_DESCRIPTION = 1024;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Reads a SKILL.md as it is found in the world; what can be made good is, with a note. */
export function readManifest(bytes: Buffer, folderName: string): Manifest {
  if (bytes.length > LARGEST_MANIFEST) throw new BrokenManifest("SKILL.md is larger than 256 KiB; put what is long into files beside it");
  const { entries, body } = understood(() => splitFrontMatter(utf8(bytes)));
  const text = (key: string) => entries.has(key) && understood(() => entryText(entries.get(key)!).trim());
  const notes: string[] = [];
  const name = nameOf(text("name") || "", folderName, notes);
  const whole = text("description") || "";
  if (whole === "") throw new BrokenManifest("SKILL.md has no description, so nobody can know when to use it");
  if (whole.length > LONGEST_DESCRIPTION) notes.push(`its description is longer than ${LONGEST_DESCRIPTION} characters and is cut`);
  if (body === "") notes.push("its SKILL.md holds no instructions below the front matter");
  const asks = asked(entries, notes);
  return {
    name,
    description: whole.slice(0, LONGEST_DESCRIPTION),
    asks,
    notes,
    license: licenseIn(entries),
    metadata: metadataIn(entries),
    body,
  };
}

function utf8(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {}
  throw new BrokenManifest("SKILL.md is not UTF-8 text");
}

function understood<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof FrontMatterError ? new BrokenManifest(`SKILL.md, ${error.message}`) : error;
  }
}

const RULE = "lowercase letters, digits and hyphens, 64 at most";

/** The front matter's name counts. One that is no name is replaced by the folder's. */
function nameOf(written: string, folderName: string, notes: string[]): string {
  if (NAME.test(written)) {
    if (written !== folderName) notes.push(`its folder is named "${folderName.slice(0, 80)}"`);
    return written;
  }
  if (!NAME.test(folderName))
    throw new BrokenManifest(
      `${written === "" ? "SKILL.md has no name" : `"${written.slice(0, 80)}" is not a name for a skill`}: it takes ${RULE}`,
    );
  notes.push(
    written === ""
      ? "its SKILL.md has no name; the folder's is taken"
      : `"${written.slice(0, 80)}" is not a name for a skill (${RULE}); the folder's is taken`,
  );
  return folderName;
}

const ASKING = ["allowed-tools", "compatibility"];
const MOST_ASKED = 600;

/** They grant nothing, so one that cannot be read keeps nobody from using the skill. */
function asked(entries: Entries, notes: string[]): string[] {
  return ASKING.flatMap((key) => {
    const entry = entries.get(key);
    if (!entry) return [];
    const items = orNote(() => entryItems(entry), notes, key).filter((item) => item !== "");
    return items.length === 0 ? [] : [`${key}: ${items.join(", ").slice(0, MOST_ASKED)}`];
  });
}

function orNote(read: () => string[], notes: string[], key: string): string[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    notes.push(`its ${key} cannot be read (${error.message})`);
    return [];
  }
}

type Entries = ReadonlyMap<string, FrontMatterEntry>;
const MOST_SAID = 500;
const MOST_METADATA = 50;

const licenseIn = (entries: Entries): string | null => {
  const entry = entries.get("license");
  return (entry && attempt(() => entryText(entry).trim().slice(0, MOST_SAID), "")) || null;
};

const metadataIn = (entries: Entries): Manifest["metadata"] => {
  const entry = entries.get("metadata");
  const pairs = entry ? attempt(() => entryPairs(entry), []) : [];
  return pairs.slice(0, MOST_METADATA).map(([name, text]) => [name, text.slice(0, MOST_SAID)]);
};
