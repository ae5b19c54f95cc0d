import type { AuditProblem } from "../../core/ports/audit.ts";
import { START } from "../../store/audit/chain.ts";
import { sha256 } from "../../store/audit/lines.ts";
import { createLineCheck, type LineBefore } from "../../store/audit/verify.ts";
import type { Pg } from "../../store/pg/pg.ts";
import { plural } from "../../text/words.ts";
import type { Findings, FleetAuditProblem } from "./findings.ts";
import { chainLines, type LineRow } from "./line-pages.ts";

interface HeadRow {
  readonly writer: string;
  readonly file: string;
  readonly began: number;
  readonly count: number;
  readonly hash: string;
  readonly size: number;
  /** The last line that is there; null where there is none. */
  readonly last: number | null;
  /** The chain from which it branches off. */
  readonly trunk: string | null;
  /** The last line that came before `since`. */
  readonly seen: number | null;
}

export interface ChainCounts {
  readonly chains: number;
  readonly lines: number;
}

const HEADS = 100;

/** Reads every line that came since then, and says where a chain is not what was written. The log may grow meanwhile. */
export async function verifyChains(db: Pg, since: Date | null, findings: Findings): Promise<ChainCounts> {
  let counts: ChainCounts = { chains: 0, lines: 0 };
  for (let after = ""; ; ) {
    const heads = await headsAfter(db, after, since);
    for (const head of heads) {
      const lines = await verifyChain(db, head, findings);
      counts = { chains: counts.chains + 1, lines: counts.lines + lines };
    }
    if (heads.length < HEADS) break;
    after = heads.at(-1)!.writer;
  }
  await findHeadless(db, findings);
  return counts;
}

/** One statement, so that head and last line are of one moment. */
const headsAfter = (db: Pg, after: string, since: Date | null): Promise<HeadRow[]> =>
  db.all(
    `select h.writer, h.file, h.began, h.count, h.hash, h.size, ${lastLine("true")} as last, ${since ? lastLine("l.at < ?3::timestamptz") : "null::bigint"} as seen,
       (select t.writer from audit_heads t where t.tenant = h.tenant and t.file = h.file and (t.began, t.writer) < (h.began, h.writer)
         order by t.began, t.writer limit 1) as trunk
     from audit_heads h where h.tenant = ?1 and h.writer > ?2 order by h.writer limit ${HEADS}`,
    db.tenant,
    after,
    ...(since ? [since.toISOString()] : []),
  );

const lastLine = (which: string) =>
  `(select l.n from audit_lines l where l.tenant = h.tenant and l.writer = h.writer and ${which} order by l.n desc limit 1)`;

/** How many lines it read. */
async function verifyChain(db: Pg, head: HeadRow, findings: Findings): Promise<number> {
  const { writer, count, last, trunk, began } = head;
  if (trunk !== null)
    findings.report(
      "branch",
      `${writer} goes on after line ${began} of the file that ${trunk} is a copy of: two processes write copies of one file, or it was cut after its lines were copied.`,
      { writer, line: began + 1 },
    );
  if (last !== null && last > count)
    findings.report("line", `${writer} has ${plural(last - count, "line")} after its head, which no process of ours has put there.`, {
      writer,
      line: count + 1,
    });
  const before = await lineBeforeFirst(db, head);
  const check = createLineCheck(head, Number.POSITIVE_INFINITY, before);
  let lines = 0;
  for await (const page of chainLines(db, writer, before.number, count))
    for (const row of page) {
      lines += 1;
      check.line({ number: row.n, hash: row.hash, size: 0, bytes: bytesOf(row), end: "newline" });
      if (sha256(bytesOf(row)) !== row.hash)
        findings.report("line", `Line ${row.n} of ${writer} is not what was copied: it was edited.`, { writer, line: row.n });
    }
  const { problems, remarks } = check.end();
  for (const { kind, line, reason } of problems) findings.report(KINDS[kind], `${writer}: ${reason}`, { writer, line });
  for (const remark of remarks) findings.remark(`${writer}: ${remark}`);
  return lines;
}

/** What `zeph audit verify` calls it, and what it is here. */
const KINDS: Readonly<Record<AuditProblem["kind"], FleetAuditProblem["kind"]>> = {
  head: "line",
  chain: "line",
  garbled: "line",
  tail: "tail",
  missing: "tail",
  noted: "noted",
};

const bytesOf = ({ line, raw }: LineRow): Buffer => (raw ? Buffer.from(raw) : Buffer.from(line, "utf8"));

/** Where reading begins: at the start of the chain, or with the last line before the moment that was asked for, as it stands there. */
async function lineBeforeFirst(db: Pg, { writer, file, began, seen }: HeadRow): Promise<LineBefore> {
  if (seen === null && began === 0) return { number: 0, hash: START.hash };
  const found =
    seen === null
      ? await db.one(
          `select l.hash from audit_heads h join audit_lines l on l.tenant = h.tenant and l.writer = h.writer and l.n = ?
           where h.tenant = ? and h.file = ? and h.writer <> ? limit 1`,
          began,
          db.tenant,
          file,
          writer,
        )
      : await db.one("select hash from audit_lines where tenant = ? and writer = ? and n = ?", db.tenant, writer, seen);
  return { number: seen ?? began, hash: found?.hash ?? "" };
}

/** Chains of which the head is gone and lines are left. */
async function findHeadless(db: Pg, findings: Findings): Promise<void> {
  for (let after = ""; ; ) {
    const next = await db.one<{ writer: string; headless: boolean }>(
      `select l.writer, not exists (select from audit_heads h where h.tenant = ?1 and h.writer = l.writer) as headless
       from audit_lines l where l.tenant = ?1 and l.writer > ?2 order by l.writer limit 1`,
      db.tenant,
      after,
    );
    if (!next) return;
    if (next.headless) findings.report("dropped", `The head of ${next.writer} is gone, and lines of it are left.`, { writer: next.writer });
    after = next.writer;
  }
}
