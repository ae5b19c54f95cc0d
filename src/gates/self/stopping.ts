import { posix } from "node:path";
import { SWITCH_VARIABLES, switchOptions } from "../../core/clients/client-switches.ts";
import { programName, type ShellWord } from "../../shell/options.ts";
import type { SimpleCommand } from "../../shell/understanding.ts";
import { wordSet } from "../../text/words.ts";
import { runsOwnProgram } from "./own-programs.ts";
import type { SelfObjection, SelfParts } from "./self.ts";
import { signalObjection } from "./signals.ts";

/** Run later, or by somebody else, what they are given as a text. */
const LATER = wordSet(
  "at batch crontab systemd-run systemctl launchctl python python2 python3 node perl ruby php deno bun lua awk gawk xargs parallel tmux screen script expect watch make ssh socat nc ncat fuser",
);
const NAMED = /\bzeph[\s"',[\]]+(hook|hookd|exec|trust|skills|config|answer|init)\b|\bzeph-(hook|exec|hookd)\b|\bhookd\b|\bhook\.sock\b/;
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
export function stoppingCommand(command: SimpleCommand, line: readonly SimpleCommand[], parts: SelfParts): SelfObjection | null {
  if (runsOwnProgram(command, line, parts)) return deny("own programs", `${short(command)} is a program of Zeph's own.`);
  const [program, ...args] = command.argv;
  if (typeof program !== "string") return null;
  const name = programName(program);
  if (KEEPERS.has(name)) return keptVariable(command);
  if (handsVariables(args, name)) return otherSettings(command);
  const agent = agentOf(name);
  if (agent !== null) return startedAgent(command, agent, line);
  const managed = managedPackage(command, name);
  if (managed) return managed;
  const text = line.map(({ text, stdin = "" }) => `${text}\n${stdin}`).join("\n");
  const signal = signalObjection(command, text, parts, deny("own processes", `${short(command)} could end a process of Zeph's own.`));
  if (signal) return signal;
  if (["systemctl", "service", "launchctl"].includes(name) && args.some((word) => /zeph|hookd/.test(word ?? "")))
    return deny("own processes", `${short(command)} would stop a process of Zeph's own.`);
  if (LATER.has(name.replace(/[\d.]+$/, "")) && NAMED.test(text))
    return deny("own programs", `${short(command)} would have a program of Zeph's own run, or reach its socket.`);
  return null;
}

const otherSettings = (command: SimpleCommand): SelfObjection =>
  deny("other agents", `${short(command)} would start an agent with other hooks, settings or trust.`);

const deny = (rule: string, what: string): SelfObjection => ({
  kind: "deny",
  rule,
  why: `${what} What governs this agent is not its own to change: no setting and no answer allows that.`,
});

const short = ({ text }: SimpleCommand): string => JSON.stringify(text.slice(0, 120));

/** `codex`, `codex@latest`, `@openai/codex`. */
const agentOf = (name: string): string | null => {
  const plain = posix.basename(name).replace(/@.*$/, "");
  return Object.hasOwn(AGENTS, plain) ? AGENTS[plain]! : null;
};

/** Another agent inside of this one is governed as this one is, unless it is told to be otherwise. */
function startedAgent(command: SimpleCommand, agent: string, line: readonly SimpleCommand[]): SelfObjection | null {
  const [, ...args] = command.argv;
  const isAway = (name: string) => AGENT_HOMES.test(name) || isAgentVariable(name);
  const isTold =
    args.some((word) => word !== null && isTelling(word, agent)) ||
    command.assignments.some(({ name }) => isAway(name)) ||
    // `export X=…; codex`, `X=…; export X; codex`, and `env -i codex`, which has no home.
    line.some((other) => namesSet(other).some(isAway) || isEmptied(other));
  return isTold ? otherSettings(command) : null;
}

/** What a command of the line sets for those that follow. */
function namesSet({ argv: [program, ...args], assignments }: SimpleCommand): readonly string[] {
  const isKeeper = program === undefined || (program !== null && KEEPERS.has(programName(program)));
  return isKeeper ? [...assignments.map(({ name }) => name), ...namesIn(args)] : [];
}

const namesIn = (words: readonly ShellWord[]): readonly string[] =>
  words.flatMap((word) => /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(word ?? "")?.[1] ?? []);

const isEmptied = ({ argv: [program, ...args] }: SimpleCommand): boolean =>
  typeof program === "string" &&
  programName(program) === "env" &&
  args.some((word) => /^(-|-i|--ignore-environment|-[a-zA-Z]*i[a-zA-Z]*)$/.test(word ?? "")) &&
  args.some((word) => word !== null && agentOf(programName(word)) !== null);

/** `--pure`, `--pure=true`, `-c x`, `-cx`. */
const isOption = (word: string, option: string): boolean =>
  word === option || word.startsWith(`${option}=`) || (/^-\w$/.test(option) && /^-\w/.test(word) && word.startsWith(option));

const isAgentVariable = (name: string): boolean => (SWITCH_VARIABLES.has(name) ? !AGENT_HOMES.test(name) : AGENT_OWN.test(name));

/** `env CODEX_HOME=/x codex`, `npx @openai/codex --yolo`: what another program is given for an agent. */
function handsVariables(args: readonly ShellWord[], program: string): boolean {
  const agent = args.findIndex(
    (word) => word !== null && agentOf(word.includes("/") && !word.startsWith("@") ? programName(word) : word) !== null,
  );
  if (agent === -1) return false;
  const given = args.slice(0, agent).some((word) => {
    const name = /^(?:--?[\w-]+=)?([A-Za-z_]\w*)=/.exec(word ?? "")?.[1];
    return name !== undefined && (AGENT_HOMES.test(name) || isAgentVariable(name));
  });
  const client = agentOf(args[agent]!)!;
  const isRun = PACKAGE_RUNNERS.has(program);
  return given || (isRun && args.slice(agent + 1).some((word) => word !== null && isTelling(word, client)));
}

const PACKAGE_RUNNERS = wordSet("npx bunx pnpx npm pnpm yarn bun deno uvx");

const isTelling = (word: string, agent: string): boolean =>
  AGENT_FLAGS.test(word) || AGENT_VERBS.has(word) || switchOptions(agent).some((one) => isOption(word, one));

const MANAGERS = wordSet("npm pnpm yarn bun brew pip pipx uv cargo volta corepack");
const MANAGED = wordSet("uninstall un unlink remove rm r uninst install i in add update up upgrade link ln downgrade");

/** To take Zeph away, or to put another version of an agent in the place of this one: an older one may let calls through when a hook fails. */
function managedPackage(command: SimpleCommand, program: string): SelfObjection | null {
  const words = command.argv.slice(1).filter((word) => word !== null);
  if (!MANAGERS.has(program) || !words.some((word) => MANAGED.has(word))) return null;
  const isEverywhere =
    words.some((word) => /^(-g|--global|--location=global|global)$/.test(word)) || ["brew", "pipx", "volta"].includes(program);
  const isRemoved = words.some((word) => /^(uninstall|un|unlink|remove|rm|r|uninst)$/.test(word));
  if (words.some((word) => /^zeph(@.*)?$/.test(word)) && (isEverywhere || isRemoved))
    return deny("own programs", `${short(command)} would change or remove Zeph itself.`);
  if (!isEverywhere || !words.some((word) => agentOf(word) !== null)) return null;
  return {
    kind: "ask",
    rule: "other agents",
    why: `${short(command)} would change the program of an agent. Another version may run without hooks, or let calls through when a hook fails.`,
  };
}

/** `export CODEX_HOME=/x` stays in a shell that an agent keeps, and the next agent that is started there gets it. */
function keptVariable(command: SimpleCommand): SelfObjection | null {
  const names = command.argv.slice(1).flatMap((word) => /^([A-Za-z_]\w*)(?:=|$)/.exec(word ?? "")?.[1] ?? []);
  const all = [...names, ...command.assignments.map(({ name }) => name)];
  if (!all.some((name) => SWITCH_VARIABLES.has(name) && !AGENT_HOMES.test(name))) return null;
  return deny("other agents", `${short(command)} would have agents that are started later run with other hooks or settings.`);
}
