import { statSync } from "node:fs";
import type { Anchors } from "../../core/ports/anchors.ts";
import type { AuditPage, AuditReader, Verification } from "../../core/ports/audit.ts";
import { auditFamily, auditName } from "./names.ts";
import { statsAudit } from "./stats.ts";
import { linesAfter, type Tail, tailAudit } from "./tail.ts";
import { verifyAudit } from "./verify.ts";

/** The log as people read it: the file and the ones other processes wrote beside it, as one. Opens nothing until asked. */
export function createAuditReader(path: string, anchors: Anchors): AuditReader {
  const family = () => auditFamily(auditName(path), anchors.files());
  return {
    async tail(count) {
      const page = await gather(family().there, (file) => tailAudit(file, count));
      return { ...page, lines: count > 0 ? page.lines.slice(-count) : [] };
    },
    since: ({ ends }) => gather(family().there, (file) => linesAfter(file, ends.get(file) ?? 0)),
    async verify() {
      const { there, gone } = family();
      const found: Verification[] = [];
      for (const file of [...there, ...gone]) {
        const size = statSync(file, { throwIfNoEntry: false })?.size;
        found.push(await verifyAudit(file, anchors.get(file), size));
      }
      return found;
    },
    stats: () => statsAudit(family().there),
  };
}

async function gather(files: readonly string[], read: (file: string) => Promise<Tail>): Promise<AuditPage> {
  const ends = new Map<string, number>();
  const lines: { text: string; ts: string }[] = [];
  for (const file of files) {
    const tail = await read(file);
    ends.set(file, tail.end);
    for (const line of dated(tail.lines)) lines.push(line);
  }
  if (files.length > 1) lines.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
  return { lines: lines.map(({ text }) => text), ends };
}

/** A line without a time stays behind the one before it. */
function dated(lines: readonly string[]): { text: string; ts: string }[] {
  let ts = "";
  return lines.map((text) => {
    ts = /"ts":"([^"]*)"/.exec(text)?.[1] ?? ts;
    return { text, ts };
  });
}
