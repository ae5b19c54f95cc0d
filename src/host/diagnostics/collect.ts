import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnosed, Diagnostic, Severity } from "../../core/ports/diagnostics.ts";
import type { Finding } from "../../diagnostics/finding.ts";
import { attempt } from "../../text/attempt.ts";
import { createPace } from "../../text/pace.ts";
import { display, isWithin, parentOf } from "../../text/path.ts";
import { bounded } from "../../text/visible.ts";
import { plural } from "../../text/words.ts";
import { isProcessFile, type PathRules } from "../files/paths.ts";

/** What one program found, and the folder its paths start at. */
export interface Batch {
  readonly source: string;
  readonly folder: string;
  readonly findings: readonly Finding[];
}

export interface Wanted {
  readonly rules: PathRules;
  /** Only findings at or below it are shown; null for all. */
  readonly within: string | null;
  readonly max: number;
  readonly signal: AbortSignal;
}

/** All findings as one list: each once, the gravest first, none in a file that may not be read. */
export async function collect(
  batches: readonly Batch[],
  { rules, within, max, signal }: Wanted,
): Promise<Pick<Diagnosed, "items" | "counts" | "total" | "warnings">> {
  const place = placer(rules);
  const seen = new Map<string, Diagnostic>();
  const pace = createPace(signal);
  let hidden = 0;
  const elsewhere = new Set<string>();
  for (const { source, folder, findings } of batches)
    for (const finding of findings) {
      await pace.step();
      const where = finding.file === null ? null : place(folder, finding.file);
      if (where === "hidden") {
        hidden++;
        continue;
      }
      const item = itemOf(finding, where && display(where, rules.cwd), source);
      const key = `${item.file}\0${item.line}:${item.col}\0${item.code}\0${item.message}`;
      if (where !== null && within !== null && !isWithin(within, where)) elsewhere.add(key);
      else if (!seen.has(key)) seen.set(key, item);
    }
  const all = [...seen.values()].sort(byGravity);
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  for (const { severity } of all) counts[severity]++;
  return {
    items: all.slice(0, max),
    counts,
    total: all.length,
    warnings: [
      ...(hidden > 0 ? [`${plural(hidden, "finding")} in files that may not be read (tools.file.deny_read, allow_read) not shown`] : []),
      ...(elsewhere.size > 0 ? [`${plural(elsewhere.size, "finding")} outside of ${display(within!, rules.cwd)} not shown`] : []),
    ],
  };
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

const byGravity = (a: Diagnostic, b: Diagnostic): number =>
  RANK[a.severity] - RANK[b.severity] || order(a.file ?? "", b.file ?? "") || (a.line ?? 0) - (b.line ?? 0) || (a.col ?? 0) - (b.col ?? 0);

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const itemOf = ({ severity, message, line, col, code }: Finding, file: string | null, source: string): Diagnostic => ({
  severity,
  message: clean(message),
  file: file && clean(file),
  line: file === null ? null : line,
  col: file === null ? null : col,
  ...(code !== undefined && { code: clean(code) }),
  source,
});

const MOST_MESSAGE = 1000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** No colours, no cursor moves, no more than a reader needs. Line breaks stay. */
export function clean(text: string): string {
  const plain = text
    .slice(0, MOST_MESSAGE * 4)
    .replace(CONTROL, "")
    .trim();
  return bounded(plain, MOST_MESSAGE);
}

/** Where a path that a program wrote really leads. The same few files are named again and again, so each is looked up once. */
function placer(rules: PathRules): (folder: string, file: string) => string | "hidden" {
  const known = new Map<string, string>();
  return (folder, file) => {
    const key = `${folder}\0${file}`;
    const found = known.get(key) ?? look(rules, folder, file);
    known.set(key, found);
    return found;
  };
}

function look(rules: PathRules, folder: string, file: string): string | "hidden" {
  return attempt(() => {
    const path = rules.canonical(written(rules, folder, file));
    return isProcessFile(path) || rules.mayRead(path) !== null ? "hidden" : path;
  }, "hidden");
}

/** Compilers of a workspace write paths from its root, which may lie above the folder they were started in. */
function written(rules: PathRules, folder: string, file: string): string {
  const first = resolve(folder, file);
  for (let base = folder; isWithin(rules.cwd, base); base = parentOf(base)) {
    const path = resolve(base, file);
    if (existsSync(path)) return path;
    if (base === parentOf(base)) break;
  }
  return first;
}
