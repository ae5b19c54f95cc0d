import type { Line } from "../line.ts";
import { bodyOf, type Commit, commitLine, oneCommit, type Told } from "./commit.ts";
import { shares } from "./share.ts";

/** Lines of messages that are shown of one commit, and of many together. */
const ONE = 100;
const TOGETHER = 60;
/** A few lines of each of many messages tell nothing; then the subjects do. */
const LEAST = 8;
/** Of more commits than this nobody asks at what time of the day they were made. */
const FEW = 20;

/** Every commit, with as much of its message as there is room for. */
export function shownCommits(commits: readonly Commit[]): Map<Commit, Line[]> {
  if (commits.length === 1) return new Map([[commits[0]!, oneCommit(commits[0]!, ONE)]]);
  const sizes = commits.map((commit) => bodyOf(commit).length);
  const rooms = shares(sizes, TOGETHER);
  const isEnough = rooms.every((room, n) => room >= Math.min(sizes[n]!, LEAST));
  const told: Told = { seen: new Set(), last: undefined, precision: commits.length > FEW ? "day" : "minute" };
  return new Map(commits.map((commit, n) => [commit, commitLine(commit, isEnough ? rooms[n]! : 0, told)]));
}
