import { join } from "node:path";
import type { PathEnd, Preimage } from "../../core/ports/preimage.ts";
import { readOwnFile } from "../../files/own-file.ts";
import type { ReportedChange, ReportedLine } from "../../front/watch/report/session-report.ts";
import { createPreimageStore, type PreimageStore, preimageHash } from "../../host/preimages/preimage-store.ts";
import { attempt } from "../../text/attempt.ts";
import { record } from "../../text/json.ts";
import { unifiedDiff } from "../../tools/diff.ts";

const MOST_CHANGES = 2000;
const MOST_DIFF_CHARS = 64 * 1024;
const MOST_ALL_CHARS = 2 * 1024 * 1024;
const MOST_BYTES = 512 * 1024;

export interface FoundChanges {
  readonly changes: readonly ReportedChange[];
  readonly left: number;
}

/**
 * What the calls of these lines did to files, as far as it is kept: what a file was before a call, and a mark of how the call left it. The content after
 * a call is not kept as such. It is there where a later call kept it, or where the file still is as the call left it.
 */
export async function findFileChanges(
  lines: readonly ReportedLine[],
  preimages: string,
  redact: (text: string) => string,
): Promise<FoundChanges> {
  const stores = [...new Set(lines.flatMap(({ entry }) => (entry.cwd === undefined ? [] : [entry.cwd])))].map((cwd) =>
    createPreimageStore(join(preimages, preimageHash(Buffer.from(cwd)).slice(0, 32))),
  );
  const calls = new Set(lines.map(({ entry }) => entry.call_id));
  const turns = [...new Set(lines.flatMap(({ entry }) => (entry.turn_id === undefined ? [] : [entry.turn_id])))];
  const changes: ReportedChange[] = [];
  let left = 0;
  let room = MOST_ALL_CHARS;
  const add = (change: ReportedChange) => {
    if (changes.length >= MOST_CHANGES) left += 1;
    else changes.push(change);
  };
  for (const turn of turns)
    for (const store of stores)
      for (const step of stepsOf(store.story(turn))) {
        if (!calls.has(step.call)) continue;
        const change = await changeOf(step, store);
        if (change === null) continue;
        const diff = change.diff === undefined ? undefined : redact(change.diff);
        if (diff === undefined || diff.length <= Math.min(room, MOST_DIFF_CHARS)) {
          room -= diff?.length ?? 0;
          add({ ...change, ...(diff !== undefined && { diff }) });
        } else {
          const { diff: _long, ...rest } = change;
          add({ ...rest, without: `the diff has ${diff.length} characters, and the report has no room for it` });
        }
      }
  const told = new Set(changes.map(({ callId }) => callId));
  for (const change of untold(lines, told)) add(change);
  return { changes, left };
}

interface Step {
  readonly call: string;
  readonly path: string;
  readonly before?: Preimage;
  readonly end?: string;
  readonly unkept?: string;
}

/** What lay at a path is written down when it differs from what was written down last: of the same state twice the first counts for both. */
function stepsOf(story: readonly (Preimage | PathEnd)[]): readonly Step[] {
  const last = new Map<string, Preimage>();
  const steps: Step[] = [];
  const open = new Map<string, Preimage>();
  for (const one of story) {
    const place = `${one.call}\n${one.path}`;
    if ("was" in one) {
      last.set(one.path, one);
      open.set(place, one);
      continue;
    }
    open.delete(place);
    const before = last.get(one.path);
    const { call, path, end, unkept } = one;
    steps.push({ call, path, ...(before && { before }), ...(end !== undefined && { end }), ...(unkept !== undefined && { unkept }) });
  }
  return [...steps, ...[...open.values()].map((before) => ({ call: before.call, path: before.path, before }))];
}

/** Null where nothing changed. */
async function changeOf(step: Step, store: PreimageStore): Promise<ReportedChange | null> {
  const { call: callId, path, before, end, unkept } = step;
  const base = { callId, path };
  if (unkept !== undefined) return { ...base, what: "not known", without: `what was there is not kept: ${unkept}` };
  const known = { ...base, ...(before?.hash !== undefined && { before: before.hash }) };
  if (before === undefined) return { ...known, what: "not known", without: "what was there is not kept any more" };
  if (end === undefined) return { ...known, what: "not known", without: "how the call left it is not written down: it did not end" };
  const [was, hash, mode, target] = markParts(end);
  if (was === before.was && hash === before.hash && mode === before.mode && target === before.target) return null;
  const what = before.was === "nothing" ? "made" : was === "nothing" ? "removed" : "changed";
  const change = { ...known, ...(hash !== undefined && { after: hash }), what } as const;
  if (before.was === "link" || was === "link")
    return { ...change, without: `a link: ${before.target ?? "nothing"} before, ${target ?? "nothing"} after` };
  if (hash !== undefined && hash === before.hash) return { ...change, without: "only its mode changed" };
  if (was !== "file" && was !== "nothing") return { ...change, without: "what is there after the call is no regular file, or too large" };
  const old = before.was === "nothing" ? null : store.content(before);
  const fresh = was === "nothing" ? null : contentAfter(store, path, hash);
  if (before.was === "file" && old === null) return { ...change, without: "what it was before is not kept any more" };
  if (was === "file" && fresh === null)
    return { ...change, without: "what it was after the call is not kept, and the file is another one now" };
  if ([old, fresh].some((bytes) => bytes?.includes(0))) return { ...change, without: "it is not text" };
  const diff = await unifiedDiff(path, old?.toString("utf8") ?? null, fresh?.toString("utf8") ?? null);
  return diff === undefined ? { ...change, without: "the change is too large to be worked out" } : { ...change, diff };
}

function markParts(mark: string): [was?: string, hash?: string, mode?: number, target?: string] {
  const parts = attempt(() => JSON.parse(mark) as unknown, null);
  return Array.isArray(parts) ? (parts.map((part) => part ?? undefined) as [string?, string?, number?, string?]) : [];
}

/** The content with this hash: kept for a later call, or still lying there. */
function contentAfter(store: PreimageStore, path: string, hash: string | undefined): Buffer | null {
  if (hash === undefined) return null;
  const kept = store.content({ turn: "", call: "", at: 0, path, was: "file", hash });
  if (kept) return kept;
  const now = attempt(() => readOwnFile(path, { maxBytes: MOST_BYTES, links: "refuse on the way" }).bytes, null);
  return now && preimageHash(now) === hash ? now : null;
}

/** Calls that were noted before they ran, name a path, went well, and of which nothing is kept: too old, or never kept. */
function* untold(lines: readonly ReportedLine[], told: ReadonlySet<string>): Generator<ReportedChange> {
  const announced = new Set(lines.flatMap(({ entry }) => (entry.kind === "intent" && entry.call_id !== undefined ? [entry.call_id] : [])));
  for (const { entry } of lines) {
    const { kind, outcome, call_id: callId, args } = entry;
    const path = record(args).path;
    if (kind !== "call" || outcome !== "ok" || callId === undefined || typeof path !== "string") continue;
    if (announced.has(callId) && !told.has(callId))
      yield { callId, path, what: "not known", without: "nothing is kept of it; the arguments of the call are in the log, shortened" };
  }
}
