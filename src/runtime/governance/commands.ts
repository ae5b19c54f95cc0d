import { CommandError, type Reply, type SlashCommand } from "../../core/command.ts";
import { ToolError } from "../../core/error.ts";
import { didYouMean } from "../../text/nearest.ts";
import { gatesText, judgementLines } from "../rules/gate-views.ts";
import type { Judgement } from "../runtime.ts";
import { approve, type Calls, feedback } from "./calls.ts";
import type { Governance } from "./governance.ts";
import { hiddenText } from "./tools.ts";
import { alone, cut, one, unknown, words } from "./words.ts";

/** What the commands need of a runtime besides its rules. */
export interface Judging {
  judge(tool: string, args: unknown): Promise<Judgement>;
  /** Reads what was typed after a tool's name. Without it only JSON is understood. */
  argumentsOf?(rest: string, tool: string): unknown;
  readonly calls?: Calls;
}

/** What a person does about the rules while calls are made. Nothing of it is for a model. */
export function governanceCommands(governance: Governance, judging: Judging): SlashCommand[] {
  const { calls } = judging;
  return [
    policy(governance, judging),
    approve(governance, calls),
    feedback(governance, calls),
    trajectory(governance),
    unblock(governance),
  ];
}

function policy(governance: Governance, judging: Judging): SlashCommand {
  const usage = "/policy [status|check <tool> …|reload]";
  return {
    name: "/policy",
    usage,
    help: "show how each gate is set, check a call, or read the rules again",
    complete: (rest) => words(rest, { "": ["status", "check", "reload"], check: governance.tools().map(({ name }) => `${name} `) }),
    async run(rest): Promise<Reply> {
      const [word = "status", after] = cut(rest);
      if (word === "status") return alone(after, usage, () => ({ text: gatesText(governance.gates()) }));
      if (word === "reload") return alone(after, usage, () => reload(governance));
      if (word === "check") return { text: await check(after, governance, judging) };
      throw unknown("/policy", word, ["status", "check", "reload"], usage);
    },
  };
}

/** What came of it is told as an event, to everybody who listens. */
async function reload(governance: Governance): Promise<Reply> {
  await governance.reload();
  return { text: "" };
}

async function check(rest: string, governance: Governance, { judge, argumentsOf = asJson }: Judging): Promise<string> {
  const [tool, given] = cut(rest);
  if (tool === undefined) throw new CommandError('Say which call to judge, for example: /policy check bash {"command":"ls"}');
  const hidden = hiddenText(tool, governance.tools());
  try {
    const found = await judge(tool, argumentsOf(given, tool));
    return [...judgementLines(found, governance.gates()), ...(hidden === null ? [] : [`  ${hidden}`])].join("\n");
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new CommandError(`${error.message}${hidden === null ? "" : ` ${hidden}.`}`);
  }
}

function asJson(rest: string, tool: string): unknown {
  try {
    return JSON.parse(rest === "" ? "{}" : rest);
  } catch {
    throw new CommandError(`The arguments of ${tool} are given as JSON, for example: /policy check bash {"command":"ls"}`);
  }
}

function trajectory(governance: Governance): SlashCommand {
  const usage = "/trajectory status|reset";
  return {
    name: "/trajectory",
    usage,
    help: "show what the sentinel has seen, or start a new sequence",
    complete: (rest) => words(rest, { "": ["status", "reset"] }),
    async run(rest) {
      const [word = "status", after] = cut(rest);
      if (word === "status") return alone(after, usage, async () => ({ text: rowsText(await governance.trajectory()) }));
      if (word !== "reset") throw unknown("/trajectory", word, ["status", "reset"], usage);
      return alone(after, usage, () => {
        governance.forgetTrajectory();
        return { text: "A new sequence begins. What was learnt from earlier ones stays." };
      });
    },
  };
}

function unblock(governance: Governance): SlashCommand {
  const usage = "/unblock <tool>";
  return {
    name: "/unblock",
    usage,
    help: "use a tool again that failed too often",
    complete: (rest) => words(rest, { "": governance.blocked() }),
    async run(rest) {
      const blocked = governance.blocked();
      const list = blocked.length === 0 ? "No tool is blocked." : `Blocked: ${blocked.join(", ")}.`;
      if (rest.trim() === "") throw new CommandError(`${list} Type ${usage}.`);
      const tool = one(rest, usage);
      if (!governance.unblock(tool)) throw new CommandError(`${tool} is not blocked.${didYouMean(tool, blocked)} ${list}`);
      return { text: `${tool} is used again; its failures so far are forgotten.` };
    },
  };
}

const rowsText = (rows: Readonly<Record<string, string>>): string =>
  Object.entries(rows)
    .map(([name, text]) => `${name}: ${text}`)
    .join("\n") || "The sentinel is off: tools.governance.trajectory_enabled is false.";
