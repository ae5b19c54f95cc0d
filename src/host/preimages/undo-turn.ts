import { fchmodSync, lstatSync, rmSync, symlinkSync, writeSync } from "node:fs";
import type { PathEnd, Preimage, TurnUndo, Undone } from "../../core/ports/preimage.ts";
import { nameOf, parentOf } from "../../text/path.ts";
import type { Leftovers } from "../files/leftovers.ts";
import type { PathRules } from "../files/paths.ts";
import { actOnPath, pinOrMake, withPinnedAsync } from "../files/pin.ts";
import { swapIn } from "../files/writing.ts";
import { currentMark, hasMark, stateMark } from "./keeper.ts";
import type { PreimageStore } from "./preimage-store.ts";

/** Puts files back from what was kept of them. What somebody else has changed since is left alone. */
export function createTurnUndo(rules: PathRules, store: PreimageStore, leftovers: Leftovers): Pick<TurnUndo, "undo"> {
  return {
    async undo(turn) {
      const restored: string[] = [];
      const removed: string[] = [];
      const left: { path: string; why: string }[] = [];
      for (const [path, story] of byPath(store.story(turn))) {
        try {
          const done = await undoPath(path, story, { rules, store, leftovers });
          if (done === "restored") restored.push(path);
          if (done === "removed") removed.push(path);
          if (typeof done === "object") left.push({ path, ...done });
        } catch (error) {
          left.push({ path, why: (error as Error).message });
        }
      }
      store.markUndone(turn);
      return { turn, restored, removed, left } satisfies Undone;
    },
  };
}

function byPath(story: readonly (Preimage | PathEnd)[]): Map<string, (Preimage | PathEnd)[]> {
  const paths = new Map<string, (Preimage | PathEnd)[]>();
  for (const record of story) paths.set(record.path, [...(paths.get(record.path) ?? []), record]);
  return paths;
}

interface Undoing {
  readonly rules: PathRules;
  readonly store: PreimageStore;
  readonly leftovers: Leftovers;
}

type Left = { readonly why: string };

async function undoPath(
  path: string,
  story: readonly (Preimage | PathEnd)[],
  undoing: Undoing,
): Promise<"restored" | "removed" | "unchanged" | Left> {
  const { rules, store } = undoing;
  const first = story.find((record): record is Preimage => "was" in record);
  const unkept = story.find((record): record is PathEnd => "unkept" in record);
  if (unkept) return { why: `what it was is not kept: ${unkept.unkept}` };
  if (!first) return "unchanged";
  const now = await currentMark(rules, path);
  if (now === stateMark(first)) return "unchanged";
  if (isDisturbed(story)) return { why: "somebody else changed it during the turn" };
  const end = story.findLast((record): record is PathEnd => "end" in record)?.end;
  if (end === undefined) return { why: "how the turn left it is not known" };
  if (now !== end) return { why: "it was changed since" };
  const content = first.was === "file" ? store.content(first) : null;
  if (first.was === "file" && content === null) return { why: "what it was is not kept any more" };
  return actOnPath(rules, { kind: "path", access: "write", path }, async (canonical) => {
    if (canonical !== path) return { why: "a link leads elsewhere now" };
    return putBack(path, first, { content, now }, undoing);
  });
}

/** Whether a call found a path otherwise than the call before had left it. */
function isDisturbed(story: readonly (Preimage | PathEnd)[]): boolean {
  let end: string | undefined;
  for (const record of story) {
    if ("was" in record && end !== undefined && stateMark(record) !== end) return true;
    if ("end" in record) end = record.end;
  }
  return false;
}

function putBack(
  path: string,
  was: Preimage,
  { content, now }: { readonly content: Buffer | null; readonly now: string },
  { rules, leftovers }: Undoing,
): Promise<"restored" | "removed" | Left> {
  return withPinnedAsync(pinOrMake(parentOf(path)), async (parent) => {
    const name = nameOf(path);
    // The folder is held from here on, and it may be another one than a moment ago.
    if (!(await hasMark(rules, parent, path, now))) return { why: "it was changed just now" };
    if (lstatSync(parent.at(name), { throwIfNoEntry: false })?.isDirectory()) return { why: "it is a folder now" };
    if (content !== null) {
      await swapIn(rules, parent, path, leftovers, async (fd) => {
        for (let at = 0; at < content.length; ) at += writeSync(fd, content, at);
        if (was.mode !== undefined) fchmodSync(fd, was.mode);
      });
      return "restored";
    }
    rmSync(parent.at(name), { force: true });
    if (was.was === "nothing") return "removed";
    symlinkSync(was.target!, parent.at(name));
    return "restored";
  });
}
