import type { WallReach } from "../../core/ports/walls.ts";
import type { Effect } from "../../core/tool.ts";
import { bounded, oneLine } from "../../text/visible.ts";
import type { GateStatus } from "../governance/governance.ts";
import type { GovernedTool } from "../governance/tools.ts";
import { notOffered } from "../governance/tools.ts";
import type { LiveConfig } from "../rules/live-config.ts";

export interface PolicyFacts {
  readonly workspace: string;
  readonly config: Pick<LiveConfig, "autonomy" | "tools">;
  readonly tools: readonly GovernedTool[];
  readonly gates: readonly GateStatus[];
  readonly reach: WallReach | null;
  readonly asks: "the client" | undefined;
}

const MOST_RULES = 50;
const MOST_PATTERN = 200;
const MOST_TEXT = 40_000;

/** `zeph://policy`: what is allowed, asked about and denied here. Of gates whose reasons are not for a model only how they are set is told. */
export function policyWords(facts: PolicyFacts): string {
  const { workspace, config, tools, gates, asks } = facts;
  const { blocked_commands, confirm_patterns } = config.tools.shell;
  const hidden = tools.map(notOffered).filter((line) => line !== null);
  const parts = [
    `What Zeph does with the calls of this session. It works in ${workspace}.`,
    config.tools.enabled
      ? `autonomy is "${config.autonomy}": ${AUTONOMY[config.autonomy]}`
      : "Tools are switched off: every call is denied.",
    wallWords(facts.reach),
    ...(asks ? [CLIENT_ASKS] : []),
    ["Tools:", ...tools.filter(({ hiddenBy }) => hiddenBy === undefined).flatMap((tool) => toolLines(tool, facts))].join("\n"),
    ...(hidden.length > 0 ? [["Not offered:", ...hidden.map((line) => `- ${line}`)].join("\n")] : []),
    ...(blocked_commands.length > 0 ? [listed("Commands that are never run:", blocked_commands)] : []),
    ...(confirm_patterns.length > 0 ? [listed("Commands that need a yes where no rule speaks of them:", confirm_patterns)] : []),
    ["Who decides, in their order:", ...gates.map(({ gate, state }) => `- ${gate}: ${oneLine(state, 300)}`)].join("\n"),
    ALWAYS,
  ];
  return bounded(parts.join("\n\n"), MOST_TEXT);
}

const AUTONOMY: Readonly<Record<LiveConfig["autonomy"], string>> = {
  readonly: "whatever does more than read is denied.",
  supervised: "what no rule allows is asked about, unless it only reads or runs behind walls.",
  edits: "the file tools change files of the workspace without a question; other questions are asked.",
  full: "questions of the permission rules are answered with yes; denials hold, and other gates still ask.",
};

const CLIENT_ASKS =
  "This session was started with --asked-by-client: edits, and commands behind walls, that no rule speaks of and that name nothing outside of the workspace are not asked about by Zeph. Everything else is as it always is.";

const ALWAYS =
  "What always holds: a denial is lifted by no answer. Zeph's own files and settings are not changed by any tool. Files that decide about other programs, such as those of git, are asked about one by one. A rule of the person's comes before everything that is said here in general, and only the person writes rules: in the file that `zeph config path` names, under [tools.permissions].";

function wallWords(reach: WallReach | null): string {
  if (reach === null) return "Commands run on another machine.";
  const { walls, confined } = reach;
  if (!confined) return `No walls stand around commands here (${walls.reason ?? "no reason is known"}), so each is asked about or denied.`;
  return `Commands run behind walls (${walls.backend}): they write in ${confined.write.join(", ") || "no folder"}, and the network is ${confined.network}.`;
}

function toolLines({ name, effect }: GovernedTool, { config, reach, asks }: PolicyFacts): string[] {
  const rules = rulesFor(name, config.tools.permissions);
  if (rules.length === 0) return [`- ${name}: ${unruled(effect, config.autonomy, reach, asks)}`];
  const more = rules.length > MOST_RULES ? [`    and ${rules.length - MOST_RULES} more`] : [];
  const lines = rules.slice(0, MOST_RULES).map(({ action, pattern }) => `    ${action.padEnd(5)} ${oneLine(pattern, MOST_PATTERN)}`);
  return [`- ${name}: the first of these rules that fits; otherwise asked about`, ...lines, ...more];
}

function unruled(effect: Effect, autonomy: LiveConfig["autonomy"], reach: WallReach | null, asks: "the client" | undefined): string {
  if (effect === "reads" || effect === "stores") return "allowed";
  if (autonomy === "full") return "allowed";
  if (effect === "runs") return reach?.confined ? "allowed behind the walls, except for what is named below" : "asked about";
  if (effect === "writes" && autonomy === "edits") return "allowed in the workspace";
  if (effect === "writes" && asks) return "left to the client in the workspace, otherwise asked about";
  return "asked about";
}

const listed = (head: string, items: readonly string[]): string =>
  [head, ...items.slice(0, MOST_RULES).map((item) => `- ${oneLine(item, MOST_PATTERN)}`)].join("\n");

/** A rule about one caller is not about this session: its id names nobody. `mcp__notes__*` speaks of all tools of a server. */
const rulesFor = (tool: string, lists: PolicyFacts["config"]["tools"]["permissions"]) =>
  Object.entries(lists)
    .filter(([key]) => key === tool || (key.endsWith("*") && tool.startsWith(key.slice(0, -1))))
    .flatMap(([, rules]) => rules.filter(({ caller }) => caller === undefined));
