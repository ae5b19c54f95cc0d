import type { Facts } from "../../agent/beginning.ts";
import type { Confirm } from "../../core/event.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { readGitState } from "../../host/workday/git-state.ts";
import { whoAnswers } from "../../question/flags.ts";
import { attempt } from "../../text/attempt.ts";
import { plural } from "../../text/words.ts";
import type { RuntimeInternals } from "../create.ts";

/** What a model is told of the day, the repository, the walls and who answers questions, as it is now. */
export async function lookAround(
  inside: Pick<RuntimeInternals, "zeph" | "cwd" | "readBytes">,
  confirm: Confirm | undefined,
): Promise<Facts> {
  const git = inside.readBytes !== null ? attempt(() => readGitState(inside.cwd), null) : null;
  const walls = (await inside.zeph.reach().catch(() => null))?.walls;
  return new Map([
    ["Date", today()],
    ...(git?.branch ? [["Git branch", git.branch] as const] : []),
    ...(git && git.unstaged !== null ? [["Git", unstagedText(git.unstaged)] as const] : []),
    ...(walls ? [["Commands", wallsInWords(walls)] as const] : []),
    ["Questions", ANSWERS[whoAnswers(confirm)]],
  ]);
}

function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

const unstagedText = (count: number): string =>
  count === 0
    ? "tracked files have no unstaged changes"
    : `${plural(count, "tracked file")} ${count === 1 ? "has" : "have"} unstaged changes`;

function wallsInWords({ backend, network }: Walls): string {
  if (backend === "none") return "no walls; they run with all rights of the user";
  const reach = network === "open" ? "the network is open" : backend === "bubblewrap" ? "each new host needs a yes" : "there is no network";
  return `behind walls: only the workspace can be changed, the home folder is hidden, nothing can be installed globally, ${reach}`;
}

const ANSWERS = {
  person: "a person answers what needs a yes",
  flags: "nobody is here; what may be asked is answered with yes",
  later: "nobody is here; what needs a yes waits for an answer later",
  nobody: "nobody is here; what needs a yes is refused",
} as const;
