import { START } from "../../store/audit/chain.ts";
import type { Pg } from "../../store/pg/pg.ts";
import type { ChainFile, ChainPlace, LineBatch } from "./chain-file.ts";
import { endedCalls } from "./ended-calls.ts";

/** How far a file was copied, and under which name. */
export interface CopiedChain extends ChainPlace {
  readonly writer: string;
  /** So many lines of the file are in another chain. */
  readonly began: number;
}

/** The chain that the file goes on with. `null`: lines of this file were copied that are not in it, so it is no longer the same. */
export async function findChain(db: Pg, file: ChainFile, name: string): Promise<CopiedChain | null> {
  const chains = await chainsOf(db, file);
  if (chains.length === 0) return { writer: name, began: 0, ...START };
  return chains.find((chain) => file.holds(chain)) ?? null;
}

/** A chain of its own for the lines of a file after those that were copied before. */
export async function branchChain(db: Pg, file: ChainFile, name: string): Promise<CopiedChain> {
  const chains = await chainsOf(db, file);
  const shared = await lastShared(db, file, chains);
  const taken = new Set(chains.map(({ writer }) => writer));
  let number = 2;
  while (taken.has(`${name}.${number}`)) number += 1;
  return { writer: `${name}.${number}`, began: shared.count, ...shared };
}

const chainsOf = (db: Pg, file: ChainFile): Promise<CopiedChain[]> =>
  db.patient.all(
    "select writer, began, count, hash, size from audit_heads where tenant = ? and file = ? order by count desc",
    db.tenant,
    file.id,
  );

/** Where the file still was what was copied of it. */
async function lastShared(db: Pg, file: ChainFile, chains: readonly CopiedChain[]): Promise<ChainPlace> {
  let shared: ChainPlace = START;
  for (let batch = file.read(shared); batch; batch = file.read(shared)) {
    const rows = await db.patient.all<{ n: number; hash: string }>(
      "select n, hash from audit_lines where tenant = ? and writer = any(?) and n > ? and n <= ?",
      db.tenant,
      chains.map(({ writer }) => writer),
      shared.count,
      batch.end.count,
    );
    const known = new Set(rows.map(({ n, hash }) => `${n} ${hash}`));
    for (const { hash, size } of batch.lines) {
      if (!known.has(`${shared.count + 1} ${hash}`)) return shared;
      shared = { count: shared.count + 1, hash, size: shared.size + size };
    }
  }
  return shared;
}

/** Adds the lines and moves the head, if it is where it was. Asked again without an end while the server is away: a head moves once. */
export async function shipBatch(db: Pg, file: ChainFile, chain: CopiedChain, batch: LineBatch): Promise<boolean> {
  const odd = batch.lines.flatMap(({ raw }, n) => (raw ? [{ place: n + 1, raw }] : []));
  const ended = endedCalls(batch.lines);
  const answer = await db.patient.one<{ moved: boolean }>(
    "select audit_ship(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) as moved",
    chain.writer,
    file.id,
    chain.began,
    chain.count,
    chain.hash,
    // No line holds a newline, so one text says it all, and nothing in it has to be quoted.
    `${batch.lines.map(({ text }) => text).join("\n")}\n`,
    batch.lines.map(({ hash }) => hash).join(" "),
    odd.map(({ place }) => place),
    odd.map(({ raw }) => raw),
    batch.end.size,
    ended.map(({ place }) => place),
    ended.map(({ call }) => call),
    ended.map(({ outcome }) => outcome),
  );
  return answer?.moved === true;
}

/** Lines stand under this name that are not those of the file. */
export const isTaken = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "ZA001" || (cause !== undefined && isTaken(cause));
};
