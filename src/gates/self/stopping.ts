import { posix } from "node:path";
import { SWITCH_VARIABLES, switchOptions } from "../../core/clients/client-switches.ts";
import { programName, readOptions } from "../../shell/options.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { wordSet } from "../../text/words.ts";
import type { SelfObjection, SelfParts } from "./self.ts";

const OWN = /^(zeph|zeph-hook|zeph-hookd|zeph-exec|hookd)(@.*)?(\.c?js|\.mjs|\.exe)?$/;
/** Run later, or by somebody else, what they are given as a text. */
const LATER = wordSet(
  "at batch crontab systemd-run systemctl launchctl python python2 python3 node perl ruby php deno bun lua awk gawk xargs parallel tmux screen script expect watch make ssh socat nc ncat fuser",
);
const NAMED = /\bzeph[\s"',[\]]+(hook|hookd|exec|trust|skills|config|answer|init)\b|\bzeph-(hook|exec|hookd)\b|\bhookd\b|\bhook\.sock\b/;
const COPIERS = wordSet("cp ln link install mv");
/** Programs of other agents, by the names of their commands and packages. */
const AGENTS: Readonly<Record<string, string>> = {
  claude: "claude",
  "claude-code": "claude",
  codex: "codex",
  gemini: "gemini",
  "gemini-cli": "gemini",
  qwen: "qwen",
  "qwen-code": "qwen",
  opencode: "opencode",
  "opencode-ai": "opencode",
  copilot: "copilot",
  pi: "pi",
  "pi-coding-agent": "pi",
  "cursor-agent": "cursor",
  cursor: "cursor",
};
const AGENT_VERBS = wordSet("config mcp hooks hook plugin plugins extension extensions app-server trust settings features");
/** Options of several agents; those that one of them was seen to obey stand in core/clients/client-switches.ts. */
const AGENT_FLAGS =
  /^--?(dangerously\S*|yolo|bypass\S*|settings|setting-sources|bare|safe-mode|allow-all\S*|no-hooks?|disable-hooks?|strict-mcp-config|plugin-dir|plugin-url|no-extensions|no-plugins?|pure|config|c|profile)(=.*)?$/;
/** Variables that lead an agent to other settings. Those of the first kind are nobody else's. */
const AGENT_OWN = /^(GEMINI_\w+|QWEN_\w+|COPILOT_HOME|OPENCODE_\w+|PI_\w+)$/;
const AGENT_HOMES = /^(HOME|XDG_\w+)$/;
const KEEPERS = wordSet("export declare typeset readonly setenv");

/** What in one command of a line would end the judging; null when nothing would. */
export function stoppingCommand(command: SimpleCommand, line: string, parts: SelfParts): SelfObjection | null {
  const [program, ...args] = command.argv;
  if (typeof program !== "string") return null;
  const name = programName(program);
  if (KEEPERS.has(name)) return keptVariable(command);
  if (handsVariables(args)) return deny("other agents", `${short(command)} would start an agent with other hooks, settings or trust.`);
  if (isOwnProgram(command, program, parts)) return deny("own programs", `${short(command)} is a program of Zeph's own.`);
  const agent = agentOf(name);
  if (agent !== null) return startedAgent(command, agent);
  if (["kill", "pkill", "killall", "skill", "killall5"].includes(name)) return signal(name, command, line, parts);
  if (["systemctl", "service", "launchctl"].includes(name) && args.some((word) => /zeph|hookd/.test(word ?? "")))
    return deny("own processes", `${short(command)} would stop a process of Zeph's own.`);
  if (LATER.has(name.replace(/[\d.]+$/, "")) && NAMED.test(line))
    return deny("own programs", `${short(command)} would have a program of Zeph's own run, or reach its socket.`);
  return null;
}

const deny = (rule: string, what: string): SelfObjection => ({
  kind: "deny",
  rule,
  why: `${what} What governs this agent is not its own to change: no setting and no answer allows that.`,
});

const short = ({ text }: SimpleCommand): string => JSON.stringify(text.slice(0, 120));

/** By its name, by where a link leads, as what an interpreter is given, or as what is copied to another name. */
function isOwnProgram({ argv, cwd }: SimpleCommand, program: string, { facts }: SelfParts): boolean {
  const name = programName(program);
  const real = program.includes("/") ? attempt(() => facts.canonical(posix.join(cwd ?? ".", program)), program) : program;
  if ([name, posix.basename(program), posix.basename(real)].some((one) => OWN.test(one))) return true;
  const { operands } = readOptions(argv.slice(1));
  if (COPIERS.has(name)) return operands.slice(0, -1).some((word) => word?.includes("/") && OWN.test(posix.basename(word)));
  return ["node", "bun", "deno", "nodejs"].includes(name) && operands.slice(0, 2).some((word) => OWN.test(posix.basename(word ?? "")));
}

/** `codex`, `codex@latest`, `@openai/codex`. */
const agentOf = (name: string): string | null => {
  const plain = posix.basename(name).replace(/@.*$/, "");
  return Object.hasOwn(AGENTS, plain) ? AGENTS[plain]! : null;
};

/** Another agent inside of this one is governed as this one is, unless it is told to be otherwise. */
function startedAgent(command: SimpleCommand, agent: string): SelfObjection | null {
  const [, ...args] = command.argv;
  const options = switchOptions(agent);
  const isTold =
    args.some((word) => word !== null && (AGENT_FLAGS.test(word) || AGENT_VERBS.has(word) || options.some((one) => isOption(word, one)))) ||
    command.assignments.some(({ name }) => AGENT_HOMES.test(name) || isAgentVariable(name));
  return isTold ? deny("other agents", `${short(command)} would start an agent with other hooks, settings or trust.`) : null;
}

/** `--pure`, `--pure=true`, `-c x`, `-cx`. */
const isOption = (word: string, option: string): boolean =>
  word === option || word.startsWith(`${option}=`) || (/^-\w$/.test(option) && /^-\w/.test(word) && word.startsWith(option));

const isAgentVariable = (name: string): boolean => (SWITCH_VARIABLES.has(name) ? !AGENT_HOMES.test(name) : AGENT_OWN.test(name));

/** `env CODEX_HOME=/x codex`, and whatever else is given variables before a program. */
function handsVariables(args: readonly (string | null)[]): boolean {
  const given = args.findIndex((word) => {
    const name = /^(?:--?[\w-]+=)?([A-Za-z_]\w*)=/.exec(word ?? "")?.[1];
    return name !== undefined && (AGENT_HOMES.test(name) || isAgentVariable(name));
  });
  return given !== -1 && args.slice(given + 1).some((word) => word !== null && agentOf(programName(word)) !== null);
}

/** `export CODEX_HOME=/x` stays in a shell that an agent keeps, and the next agent that is started there gets it. */
function keptVariable(command: SimpleCommand): SelfObjection | null {
  const names = command.argv.slice(1).flatMap((word) => /^([A-Za-z_]\w*)(?:=|$)/.exec(word ?? "")?.[1] ?? []);
  const all = [...names, ...command.assignments.map(({ name }) => name)];
  if (!all.some((name) => SWITCH_VARIABLES.has(name) && !AGENT_HOMES.test(name))) return null;
  return deny("other agents", `${short(command)} would have agents that are started later run with other hooks or settings.`);
}

function signal(name: string, command: SimpleCommand, line: string, { pid }: SelfParts): SelfObjection | null {
  const args = command.argv.slice(1);
  const stops = deny("own processes", `${short(command)} could end a process of Zeph's own.`);
  const words = args.filter((word) => word !== null);
  if (name === "killall5" || NAMED.test(line) || words.some((word) => /zeph|hookd/.test(word))) return stops;
  if (name === "kill" || name === "skill") {
    // To every process, or to the group of ours.
    if (words.length > 1 && words.some((word) => ["-1", "0", `-${pid}`].includes(word))) return stops;
    if (words.includes(String(pid))) return stops;
    return args.includes(null) && !/\$!|%\d/.test(command.text) ? UNKNOWN : null;
  }
  if (args.includes(null)) return UNKNOWN;
  const patterns = readOptions(args, "-u -U -g -G -s -t -P --signal --parent --user --group").operands;
  return patterns.some((word) => word !== null && OUR_NAMES.some((ours) => isHit(word, ours))) ? stops : null;
}

/** As a list of processes shows the one that judges. */
const OUR_NAMES = ["node", "zeph", "zeph hookd", "hookd", "/usr/bin/node zeph hookd"];

const isHit = (pattern: string, ours: string): boolean => attempt(() => new RegExp(pattern).test(ours), true);

const UNKNOWN: SelfObjection = {
  kind: "ask",
  rule: "own processes",
  why: "Which process the signal would reach is only known when the command runs, and it may be the one that judges this agent.",
};
