import { CommandError, type SlashCommand } from "../../core/command.ts";
import type { BackgroundCommand } from "../../core/ports/shell.ts";
import { bounded } from "../../text/visible.ts";
import type { Agent } from "../agent/agent-types.ts";
import { alone, cut, one, unknown, words } from "../governance/words.ts";

/** Lists background commands by number, and ends one. A command keeps its number as long as it is listed. */
export function createBackgroundCommand(agent: Pick<Agent, "runs" | "endRun">): SlashCommand {
  const usage = "/background [list|kill <n>]";
  const numbers = new Map<string, number>();
  /** Runs that are forgotten free no number: a number that was read must not mean another run a moment later. */
  const numbered = () => {
    const runs = agent.runs();
    for (const { id } of runs) if (!numbers.has(id)) numbers.set(id, ++last);
    for (const id of numbers.keys()) if (!runs.some((run) => run.id === id)) numbers.delete(id);
    return runs.map((run) => ({ ...run, n: numbers.get(run.id)! }));
  };
  let last = 0;
  return {
    name: "/background",
    usage,
    help: "list the commands in the background, or end one",
    complete: (rest) =>
      words(rest, {
        "": ["list", "kill "],
        kill: numbered()
          .filter(({ state }) => state === "running")
          .map(({ n }) => String(n)),
      }),
    async run(rest) {
      const [word = "list", after] = cut(rest);
      if (word === "list")
        return alone(after, usage, () => ({
          text:
            numbered()
              .map((run) => `${run.n}  ${runText(run)}`)
              .join("\n") || "No command was started in the background.",
        }));
      if (word !== "kill") throw unknown("/background", word, ["list", "kill"], usage);
      const wanted = one(after, "/background kill <n>");
      const found = numbered().find(({ n, id }) => String(n) === wanted || id === wanted);
      if (!found) throw new CommandError(`There is no background command ${wanted}. /background lists them.`);
      if (found.state !== "running") throw new CommandError(`${found.n} has ended already. ${runText(found)}`);
      return { text: `${found.n}  ${runText(await agent.endRun(found.id))}` };
    },
  };
}

const MOST_SHOWN = 200;
const STATES = {
  running: "runs",
  ended: "ended",
  killed: "was ended",
  timed_out: "ran into its time limit",
  failed: "could not be started",
};

function runText({ command, since, until = Date.now(), state, exitCode }: BackgroundCommand): string {
  const how = `${STATES[state]}${state === "running" ? " for" : exitCode === undefined ? "" : `, exit ${exitCode},`}`;
  return `${bounded(command.replace(/\s+/g, " "), MOST_SHOWN)}  ${how} ${state === "running" ? "" : "after "}${ageText(until - since)}`;
}

/** 42 s, 4 m 10 s, 2 h 5 m. */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} m ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
