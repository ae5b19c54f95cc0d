import { CommandError, type Reply, type SlashCommand } from "../core/command.ts";
import { ToolError } from "../core/error.ts";
import { didYouMean } from "../core/nearest.ts";
import { gateViews, viewText } from "./gate-views.ts";
import type { GateStatus, Governance } from "./governance.ts";
import type { Judgement } from "./runtime.ts";

/** What the commands need of a runtime besides its rules. */
export interface Judging {
  judge(tool: string, args: unknown): Promise<Judgement>;
  tools(): readonly { readonly name: string }[];
  /** Reads what was typed after a tool's name. Without it only JSON is understood. */
  argumentsOf?(rest: string, tool: string): unknown;
}

/** What a person does about the rules while calls are made. Nothing of it is for a model. */
export function governanceCommands(governance: Governance, judging: Judging): SlashCommand[] {
  return [policy(governance, judging), approve(governance), feedback(governance), trajectory(governance), unblock(governance)];
}

function policy(governance: Governance, judging: Judging): SlashCommand {
  const usage = "/policy [status|check <tool> …|reload]";
  return {
    name: "/policy",
    usage,
    help: "how each gate is set, what would be decided about a call, or read the rules anew",
    complete: (rest) => words(rest, { "": ["status", "check", "reload"], check: judging.tools().map(({ name }) => `${name} `) }),
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
  try {
    const found = await judge(tool, argumentsOf(given, tool));
    const views = gateViews(found, governance.gates()).map((view) => `  ${viewText(view)}`);
    return [`${found.verdict}${found.why === null ? "" : `: ${found.why}`}`, ...views].join("\n");
  } catch (error) {
    throw error instanceof ToolError ? new CommandError(error.message) : error;
  }
}

function asJson(rest: string, tool: string): unknown {
  try {
    return JSON.parse(rest === "" ? "{}" : rest);
  } catch {
    throw new CommandError(`The arguments of ${tool} are given as JSON, for example: /policy check bash {"command":"ls"}`);
  }
}

function approve(governance: Governance): SlashCommand {
  const usage = "/approve <call_id>";
  return {
    name: "/approve",
    usage,
    help: "lift the refusal of one call by the gate scoped, once",
    async run(rest) {
      const lifted = governance.approve(callId(one(rest, usage)));
      if (!lifted) throw new CommandError(`The gate scoped refused no call ${rest.trim()} in this session. ${WHERE}`);
      return { text: `${lifted.tool} may be called with exactly these arguments, once. Ask for it again.` };
    },
  };
}

const VERDICTS = ["unacceptable", "revoke", "ok"] as const;

function feedback(governance: Governance): SlashCommand {
  const usage = "/feedback unacceptable|revoke|ok <call_id>";
  return {
    name: "/feedback",
    usage,
    help: "say how a call ended in your judgement; unacceptable ones are not repeated",
    complete: (rest) => words(rest, { "": VERDICTS }),
    async run(rest) {
      const [said = "", after] = cut(rest);
      const word = VERDICTS.find((known) => known === said);
      if (!word) throw unknown("/feedback", said, VERDICTS, usage);
      const judged = await governance.feedback(callId(one(after, usage)), word);
      if (!judged)
        throw new CommandError(`No call ${after} is known to the sentinel. ${WHERE} tools.governance.trajectory_enabled switches it on.`);
      return { text: `${judged.tool} (${judged.callId.slice(0, SHORT)}): ${FELT[word]}` };
    },
  };
}
const FELT = {
  unacceptable: "noted as unacceptable. What leads to the like of it is refused where tools.governance.block_risky_patterns is on.",
  revoke: "what you said of it is taken back.",
  ok: "noted as fine.",
} as const;

function trajectory(governance: Governance): SlashCommand {
  const usage = "/trajectory status|reset";
  return {
    name: "/trajectory",
    usage,
    help: "what the sentinel has seen, or let its current sequence begin anew",
    complete: (rest) => words(rest, { "": ["status", "reset"] }),
    async run(rest) {
      const [word = "status", after] = cut(rest);
      if (word === "status") return alone(after, usage, async () => ({ text: rowsText(await governance.trajectory()) }));
      if (word !== "reset") throw unknown("/trajectory", word, ["status", "reset"], usage);
      return alone(after, usage, () => {
        governance.forgetTrajectory();
        return { text: "The current sequence begins anew. What was learnt from earlier ones stays." };
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

/** The same for `/status`: who is off and silent is left out, and who is simply on and silent shares a line. */
export function briefGates(gates: readonly GateStatus[]): string {
  const isPlain = ({ state, asked, denied }: GateStatus) => state === "on" && asked + denied === 0;
  const telling = gates.filter((one) => !isPlain(one) && (one.state !== "off" || one.asked + one.denied > 0));
  const plain = gates.filter(isPlain).map(({ gate }) => gate);
  return [...telling.map(gateLine), ...(plain.length > 0 ? [`on: ${plain.join(", ")}`] : [])].join("\n");
}

/** How each gate is set and what it has said, one line each. */
const gatesText = (gates: readonly GateStatus[]): string => gates.map(gateLine).join("\n");

/** `permissions: supervised, 3 rules; 1 asked, 2 denied` */
function gateLine({ gate, state, asked, denied }: Omit<GateStatus, "passed">): string {
  const spoken = [...(asked > 0 ? [`${asked} asked`] : []), ...(denied > 0 ? [`${denied} denied`] : [])];
  return `${gate}: ${state}${spoken.length > 0 ? `; ${spoken.join(", ")}` : ""}`;
}

const SHORT = 8;
/** Fewer letters are a guess. */
const LEAST_ID = 4;
const WHERE = "`zeph audit tail --json` shows the ids of calls; the beginning of one is enough.";

function callId(typed: string): string {
  if (typed.length < LEAST_ID)
    throw new CommandError(`${typed} is too short for the id of a call: give at least ${LEAST_ID} letters. ${WHERE}`);
  return typed;
}

const rowsText = (rows: Readonly<Record<string, string>>): string =>
  Object.entries(rows)
    .map(([name, text]) => `${name}: ${text}`)
    .join("\n") || "The sentinel is off: tools.governance.trajectory_enabled is false.";

/** The first word, and what follows it. */
function cut(rest: string): [string | undefined, string] {
  const [, word, after = ""] = /^\s*(\S+)\s*(.*?)\s*$/s.exec(rest) ?? [];
  return [word, after];
}

function one(rest: string, usage: string): string {
  const [word, more] = cut(rest);
  if (word === undefined || more !== "") throw new CommandError(`Type ${usage}.`);
  return word;
}

function alone(after: string, usage: string, run: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  if (after !== "") throw new CommandError(`"${after}" is too much. Type ${usage}.`);
  return run();
}

const unknown = (command: string, word: string, known: readonly string[], usage: string): CommandError =>
  new CommandError(
    `${word === "" ? `${command} needs a word.` : `${command} ${word} is not known.${didYouMean(word, known)}`} Type ${usage}.`,
  );

/** What could follow: the first word, or the one after it. */
function words(rest: string, choices: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const [, first = "", gap = ""] = /^\s*(\S*)(\s*)/.exec(rest) ?? [];
  return gap === "" ? (choices[""] ?? []) : (choices[first] ?? []);
}
