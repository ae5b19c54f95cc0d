import type { Line } from "../line.ts";
import { bodyOf, type Commit, type CommitsShown, commitLine, oneCommit } from "./commit.ts";
import { shares } from "./share.ts";

/** Lines of messages that are shown of one commit, and of many together. */
const ONE = 100;
const TOGETHER = 60;
/** A few lines of each of many messages tell nothing; then the subjects do. */
const LEAST = 8;
/** Of more commits than this the day is enough; the time of day is left out. */
const FEW = 20;

/** Every commit, with as much of its message as there is room for. */
export function shownCommits(all: readonly Commit[]): { commits: Map<Commit, Line[]>; areCut: boolean } {
  const [first] = all;
  if (first && all.length === 1) return { commits: new Map([[first, oneCommit(first, ONE)]]), areCut: first.message.length > ONE + 1 };
  const sizes = all.map((commit) => bodyOf(commit).length);
  const rooms = shares(sizes, TOGETHER);
  const isEnough = rooms.every((room, n) => room >= Math.min(sizes[n]!, LEAST));
  const told: CommitsShown = { seen: new Set(), last: undefined, precision: all.length > FEW ? "day" : "minute" };
  return {
    commits: new Map(all.map((commit, n) => [commit, commitLine(commit, isEnough ? rooms[n]! : 0, told)])),
    areCut: rooms.some((room, n) => room < sizes[n]!),
  };
}
