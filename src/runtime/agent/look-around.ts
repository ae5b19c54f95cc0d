import type { Facts } from "../../agent/beginning.ts";
import type { Confirm } from "../../core/event.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { readGitState } from "../../host/workday/git-state.ts";
import { whoAnswers } from "../../question/flags.ts";
import { attempt } from "../../text/attempt.ts";
import { plural } from "../../text/words.ts";
import type { RuntimeInternals } from "../create.ts";

/** What a model is told of the day, the repository, the walls and who answers questions, as it is now. What is unstaged is looked for at the beginning only. */
export async function lookAround(
  { readBytes, cwd, walls: probe, config }: Pick<RuntimeInternals, "readBytes" | "cwd" | "walls" | "config">,
  confirm: Confirm | undefined,
  when: "at the beginning" | "later",
): Promise<Facts> {
  const wanted = when === "later" ? "branch" : "branch and count";
  const git = readBytes === null ? null : attempt(() => readGitState(cwd, wanted), null);
  const walls = await probe().catch(() => null);
  return new Map([
    ["Date", today()],
    ...(git?.branch ? [["Git branch", git.branch] as const] : []),
    ...(git && git.unstaged !== null ? [["Git, unstaged only", `${plural(git.unstaged, "file")} changed`] as const] : []),
    ...(walls && walls.backend !== "host" ? [["Commands", wallsInWords(walls, config.tools.sandbox.allow_network)] as const] : []),
    ["Questions", ANSWERS[whoAnswers(confirm)]],
  ]);
}

function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

function wallsInWords({ backend }: Walls, isOpen: boolean): string {
  if (backend === "none") return "no walls; they run with all rights of the user";
  const reach = isOpen ? "the network is open" : backend === "bubblewrap" ? "each new host needs a yes" : "there is no network";
  return `behind walls: only the workspace can be changed, the home folder is hidden, nothing can be installed globally, ${reach}`;
}

const ANSWERS = {
  person: "a person answers what needs a yes",
  flags: "nobody is here; what may be asked is answered with yes",
  later: "nobody is here; what needs a yes waits for an answer later",
  nobody: "nobody is here; what needs a yes is refused",
} as const;
