import { hostname } from "node:os";
import { basename } from "node:path";
import type { Pg } from "../../store/pg/pg.ts";
import { plural } from "../../text/words.ts";
import { type ChainFile, openChainFile } from "./chain-file.ts";
import { branchChain, type CopiedChain, findChain, isTaken, shipBatch } from "./chain-rows.ts";

/** Copies the lines of one file. */
export interface Copier {
  /** Copies until no whole line is left. One at a time. Waits for a server that is away, until the database is closed. */
  copyAll(): Promise<void>;
  close(): void;
}

export function openCopier(db: Pg, path: string, warn: (message: string) => void): Copier {
  let file: ChainFile | null = null;
  let chain: CopiedChain | null = null;
  const name = (opened: ChainFile) => `${WORD(hostname())}/${WORD(basename(path))}/${opened.id.slice(0, 12)}`;

  const leave = () => {
    file?.close();
    file = null;
    chain = null;
  };
  const branch = async (opened: ChainFile): Promise<CopiedChain> => {
    const made = await branchChain(db, opened, name(opened));
    warn(
      `The audit file ${path} does not go on with its copy at ${db.shown}: another process writes a copy of the same file, or lines that were copied are gone from it. ` +
        `Its lines after line ${made.began} are copied as ${made.writer}. Run: zeph fleet audit verify`,
    );
    return made;
  };
  /** Where to go on. What was copied last may be gone with a server, or be there without our knowing. */
  const resume = async (opened: ChainFile): Promise<CopiedChain> => {
    const found = await findChain(db, opened, name(opened));
    if (found && chain && found.count < chain.count)
      warn(
        `${db.shown} has ${plural(chain.count - found.count, "audit line")} of ${path} less than were copied to it: lost with a server, or deleted. They are copied again.`,
      );
    return found ?? branch(opened);
  };
  const copyBatch = async (opened: ChainFile, from: CopiedChain): Promise<"moved" | "refused" | "none"> => {
    const batch = opened.read(from);
    if (!batch) return "none";
    if (!(await shipBatch(db, opened, from, batch))) return "refused";
    chain = { ...from, ...batch.end };
    return "moved";
  };

  return {
    async copyAll() {
      for (let refusals = 0; ; ) {
        file ??= openChainFile(path);
        if (!file) return;
        if (!chain || refusals > 0 || !file.holds(chain)) chain = await resume(file);
        const end = await copyBatch(file, chain).catch(async (error) => {
          if (!isTaken(error)) throw error;
          chain = await branch(file!);
          return "moved" as const;
        });
        if (end === "refused" && ++refusals === MOST_REFUSALS)
          throw new Error(`Something else moves the head of ${chain.writer} at ${db.shown} all the time.`);
        if (end === "moved") refusals = 0;
        if (end !== "none") continue;
        if (file.isInPlace()) return;
        // Renamed or deleted. Its rest is copied; what lies at the path now is another chain.
        leave();
      }
    },
    close: leave,
  };
}

const MOST_REFUSALS = 20;

/** Names of chains are words: they stand in lines that checkpoints sign. */
const WORD = (text: string) => text.replace(/[^\w.-]/g, "_").slice(0, 63) || "_";
