import { sha256 } from "../../store/audit/lines.ts";
import type { Pg } from "../../store/pg/pg.ts";
import { plural } from "../../text/words.ts";
import { type Checkpoint, FIRST_ROOT, partOf, readHeads, rootOf, type SignedHead } from "./checkpoint-form.ts";
import type { Findings } from "./findings.ts";
import type { PublicKeys } from "./signing-key.ts";

export interface CheckpointChecks {
  /** Null: signatures are not checked. */
  readonly keys: PublicKeys | null;
  /** What the operator has kept. */
  readonly roots: ReadonlySet<string>;
  /** Heads of earlier checkpoints are not compared with lines. */
  readonly since: Date | null;
}

export interface CheckpointCounts {
  readonly checkpoints: number;
  /** The last one; null where there is none. */
  readonly last: Pick<Checkpoint, "n" | "at" | "root"> | null;
}

interface CheckpointRow extends Checkpoint {
  readonly signature: string;
  readonly key: string;
  /** What it signs of this tenant; null where nothing is kept of it. */
  readonly heads: string | null;
}

const PAGE = 50;

/** Reads all checkpoints, each of which stands on the one before it, and looks whether the lines they sign are there. */
export async function verifyCheckpoints(db: Pg, { keys, roots, since }: CheckpointChecks, findings: Findings): Promise<CheckpointCounts> {
  const missing = new Set(roots);
  const compare = createHeadCheck(db, findings);
  let last: CheckpointRow | null = null;
  let checkpoints = 0;
  for (;;) {
    const page: CheckpointRow[] = await pageAfter(db, last?.n ?? 0);
    for (const row of page) {
      checkForm(row, last, keys, findings);
      missing.delete(row.root);
      if (row.heads !== null && (since === null || row.at >= since.toISOString())) await compare(row.n, readHeads(row.heads));
      checkpoints += 1;
      last = row;
    }
    if (page.length < PAGE) break;
  }
  for (const root of missing)
    findings.report(
      "root",
      `The root ${root} was kept, and no checkpoint has it: checkpoints were removed or replaced, or lost with a server.`,
    );
  return { checkpoints, last: last && { n: last.n, at: last.at, root: last.root } };

  function checkForm(row: CheckpointRow, before: CheckpointRow | null, known: PublicKeys | null, found: Findings): void {
    const report = (reason: string) => found.report("checkpoint", reason);
    const { n, root, signature, key } = row;
    const expected = (before?.n ?? 0) + 1;
    if (n !== expected)
      report(n === expected + 1 ? `Checkpoint ${expected} is missing.` : `Checkpoints ${expected} to ${n - 1} are missing.`);
    else if (row.previous !== (before?.root ?? FIRST_ROOT))
      report(`Checkpoint ${n} does not stand on the one before it: one of them was replaced.`);
    if (rootOf(row) !== root) report(`Checkpoint ${n} was changed: its root is not that of what it says.`);
    if (known && !known.made(root, signature))
      report(`Checkpoint ${n} is not signed with a key that was given (it names ${key}): it is forged, or a key is missing.`);
    const part = partOf(row.parts, db.tenant);
    if (part !== null && row.heads === null) report(`Checkpoint ${n} signs chains of this tenant, and which ones is gone.`);
    if (row.heads !== null && sha256(row.heads) !== part) report(`What checkpoint ${n} signs of this tenant was changed.`);
  }
}

const pageAfter = (db: Pg, after: number): Promise<CheckpointRow[]> =>
  db.all(
    `select c.n, c.at, c.previous, c.parts, c.root, c.signature, c.key, m.heads from audit_checkpoints c
     left join audit_marks m on m.tenant = ? and m.checkpoint = c.n where c.n > ? order by c.n limit ${PAGE}`,
    db.tenant,
    after,
  );

const HEADS = 500;

/** Whether the lines that were signed are there, and are those. A chain is reported once. */
function createHeadCheck(db: Pg, findings: Findings) {
  const reported = new Set<string>();
  return async (checkpoint: number, heads: readonly SignedHead[]): Promise<void> => {
    for (let from = 0; from < heads.length; from += HEADS) {
      const some = heads.slice(from, from + HEADS);
      const rows = await db.all<{ place: number; hash: string | null; count: number | null }>(
        `select s.place::int as place, l.hash, h.count from unnest(?::text[], ?::bigint[]) with ordinality s (writer, n, place)
         left join audit_lines l on l.tenant = ?3 and l.writer = s.writer and l.n = s.n
         left join audit_heads h on h.tenant = ?3 and h.writer = s.writer`,
        some.map(({ writer }) => writer),
        some.map(({ count }) => count),
        db.tenant,
      );
      for (const { place, hash, count } of rows) compareHead(checkpoint, some[place - 1]!, hash, count);
    }
  };

  function compareHead(checkpoint: number, { writer, count: signed, hash: wanted }: SignedHead, hash: string | null, count: number | null) {
    if (hash === wanted || reported.has(writer)) return;
    reported.add(writer);
    const where = { writer, line: signed };
    const said = `checkpoint ${checkpoint} signed ${plural(signed, "line")} of it`;
    if (hash !== null)
      findings.report("rewritten", `${writer} was rewritten: line ${signed} is not the one that checkpoint ${checkpoint} signed.`, where);
    else if (count === null) findings.report("dropped", `The chain ${writer} is gone: ${said}.`, where);
    else if (count < signed) findings.report("cut", `${writer} was cut, with its head: ${said}, and its head says ${count}.`, where);
    else findings.report("line", `Line ${signed} of ${writer} is gone, which checkpoint ${checkpoint} signed.`, where);
  }
}
