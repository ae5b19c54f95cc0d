import type { AuditEntry } from "../../core/ports/audit.ts";
import { type AuditLine, auditLines } from "../../store/audit/lines.ts";
import { type Answer, entryOf, isCut, pastAnswer } from "./audit-line.ts";
import { type Rejudged, UNHEARD } from "./rejudge.ts";
import { openReplayWorkspaces, type ReplayWorkspace } from "./workspaces.ts";

/** A past call, and what is said of it now. */
export interface Replayed {
  readonly ts: string;
  readonly call_id: string;
  readonly tool: string;
  readonly args: unknown;
  readonly cwd: string;
  readonly was: Spoken;
  readonly now: Spoken & { readonly why?: string };
  readonly flips: boolean;
  /** The log holds less than what was asked for, so the answer may not be exact. */
  readonly approximate: boolean;
}
export interface Spoken {
  readonly verdict: Answer;
  readonly gate?: string;
  readonly rule?: string;
}

export interface ReplayTotals {
  readonly calls: number;
  readonly same: number;
  readonly flipped: number;
  readonly approximate: number;
  /** `allow -> deny` and so on, with how many there are. */
  readonly flips: Readonly<Record<string, number>>;
  /** Why calls could not be compared, with how many there are. */
  readonly notComparable: Readonly<Record<string, number>>;
  /** Lines that are audit entries, and lines that are none. */
  readonly entries: number;
  readonly unreadable: number;
  readonly stopped: boolean;
}

export interface ReplayWorld {
  /** Opens the rules of a workspace as they are to be tried. */
  open(workspace: string): Promise<ReplayWorkspace>;
  isFolder(path: string): boolean;
  /** Where a line belongs that does not say so. */
  readonly cwd: string;
  each(call: Replayed): void | Promise<void>;
  progress(calls: number): void;
}

/** Judges every call of these logs again, in order and by what the log says has happened. Nothing is run. */
export async function replay(files: readonly string[], world: ReplayWorld, signal: AbortSignal): Promise<ReplayTotals> {
  const rooms = openReplayWorkspaces(world.open, world.isFolder);
  const homes = new Map<string, string>();
  const flips = tally();
  const notComparable = tally();
  let calls = 0;
  let same = 0;
  let approximate = 0;
  let entries = 0;
  let unreadable = 0;

  const call = async (entry: AuditEntry, workspace: string) => {
    calls += 1;
    if (calls % REPORTED === 0) world.progress(calls);
    const found = await rooms.find(workspace, entry.session_id ?? "");
    const was = pastAnswer(entry);
    if ("unfit" in found) return notComparable.add(was === null ? UNJUDGED : found.unfit);
    if (was === null) {
      found.missed(entry);
      return notComparable.add(UNJUDGED);
    }
    const here = entry.cwd ?? workspace;
    const now = await found.judge(entry, here === workspace ? null : here);
    if ("unfit" in now) return notComparable.add(now.unfit);
    const unheard = unheardIn(entry, was, now.answer);
    if (unheard !== null) return notComparable.add(unheard);
    const replayed = replayedOf(entry, here, was, now);
    if (replayed.flips) flips.add(`${was} -> ${now.answer}`);
    else same += 1;
    if (replayed.approximate) approximate += 1;
    await world.each(replayed);
  };

  try {
    for await (const line of linesIn(files)) {
      if (signal.aborted) break;
      const entry = entryOf(line);
      if (entry) entries += 1;
      if (!entry) unreadable += 1;
      else if (entry.kind === "call") await call(entry, homeOf(entry, homes, world.cwd));
      else if (entry.kind === "intent") homeOf(entry, homes, world.cwd);
      else if (entry.kind === "note") rooms.noted(String(entry.note), entry.session_id);
    }
    const trouble = rooms.trouble();
    if (trouble !== undefined) throw trouble;
  } finally {
    await rooms.close();
  }
  const flipped = flips.sum();
  const counts = { calls, same, flipped, approximate, flips: flips.all(), notComparable: notComparable.all() };
  return { ...counts, entries, unreadable, stopped: signal.aborted };
}

async function* linesIn(files: readonly string[]): AsyncGenerator<AuditLine> {
  for (const file of files) for await (const lines of auditLines(file)) yield* lines;
}

const REPORTED = 256;
const UNJUDGED = "it never reached the rules";
const MOST_SESSIONS = 1000;

/** The workspace of a session: where its first call was made. Later ones may have been made where a `cd` led. */
function homeOf({ session_id, cwd }: AuditEntry, homes: Map<string, string>, here: string): string {
  if (session_id === undefined) return cwd ?? here;
  const known = homes.get(session_id);
  if (known !== undefined) return known;
  if (homes.size >= MOST_SESSIONS) homes.delete(homes.keys().next().value!);
  homes.set(session_id, cwd ?? here);
  return cwd ?? here;
}

const ORDER: readonly Answer[] = ["allow", "ask", "deny"];

/** Who spoke then and is not heard now would speak again: to call it milder now would be wrong. */
function unheardIn({ gate = "", rule = "" }: AuditEntry, was: Answer, now: Answer): string | null {
  if (ORDER.indexOf(now) >= ORDER.indexOf(was)) return null;
  // Of the sentinel only the sequences that are written down are heard in full.
  const isUnheard = [...UNHEARD, "hooks"].includes(gate) || (gate === "sentinel" && !rule.startsWith("blocked_sequences"));
  return isUnheard ? `decided by ${gate}, which is not asked here` : null;
}

function replayedOf(entry: AuditEntry, cwd: string, was: Answer, now: Extract<Rejudged, { answer: Answer }>): Replayed {
  const { ts, call_id = "", tool = "", args, gate, rule } = entry;
  return {
    ts: String(ts),
    call_id,
    tool,
    args,
    cwd,
    was: { verdict: was, ...(gate !== undefined && { gate }), ...(rule !== undefined && { rule }) },
    now: {
      verdict: now.answer,
      ...(now.gate !== null && { gate: now.gate }),
      ...(now.rule !== null && { rule: now.rule }),
      ...(now.why !== null && { why: now.why }),
    },
    flips: was !== now.answer,
    approximate: isCut(args),
  };
}

/** Most frequent first. */
function tally() {
  const counts = new Map<string, number>();
  return {
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    sum: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    all: (): Record<string, number> => Object.fromEntries([...counts].sort((a, b) => b[1] - a[1])),
  };
}
