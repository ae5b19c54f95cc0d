import { type CommandSpec, JSON_OPTION, type OptionSpec } from "./command-spec.ts";
import { FLEET_COMMANDS } from "./fleet-commands.ts";
import { HOOK_COMMANDS } from "./hook-commands.ts";

const LATER_OPTION = ["--later", "ask nobody now: keep each question until `zeph answer` answers it"] as const;

/** For whoever talks with a model. */
export const TALK_OPTIONS = [
  ["--continue [id]", "continue the last conversation of this folder, or the one with this id"],
  ["--model <name>", "the provider to ask, by its name in the configuration"],
] as const;

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  ["--config <file>", "read this file in place of your own configuration"],
  ["--set <key=value>", "set one key; it wins over every file; may be repeated"],
  ["--cwd <folder>", "work as if started there"],
  ...TALK_OPTIONS,
  ["--plain", "draw the chat line by line, as for a screen reader"],
  ["--no-color", "print without colour, as NO_COLOR=1 does"],
  ["--migrate-config", "give old keys in your configuration files their new names"],
  ["--dry-run", "with --migrate-config, call or import: say what would be done"],
];

const TRUST = ["untrusted", "provisional", "trusted"];
export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  run: {
    usage: "<task…|-> [options]",
    summary: "give a model a task, and let it work",
    options: [
      ["--json", "print every event as one JSON object; questions are answered on stdin"],
      ["--max-turns <n>", "stop after this many rounds of tool calls (1 to 100)"],
      ["--max-tokens <n>", "stop when requests and answers have used this many tokens"],
      ["--max-usd <dollars>", "stop when the run has cost this much; the provider needs a price"],
      ["--max-time <seconds>", "stop after this long"],
      ...TALK_OPTIONS,
      ["--no-wait", "at the end, kill background commands instead of waiting for them"],
      LATER_OPTION,
      ["--wait-for-answer", "where nobody can be asked here, wait for `zeph watch` or `zeph answer`"],
      ["--yes", "answer questions with yes, once; denials stay, and no command runs without walls"],
      ["--without-walls", "where no sandbox works, run commands without one, with all your rights"],
    ],
    words: ["[task...]"],
  },
  call: {
    usage: "<tool> <json|-> [options]\n       zeph call --batch [--yes] [--without-walls]",
    summary: "run one tool, or a batch of calls, through every gate",
    options: [
      ["--json", "print the whole answer as one JSON object"],
      LATER_OPTION,
      ["--yes", "answer questions with yes, once; denials stay, and no command runs without walls"],
      ["--without-walls", "where no sandbox works, run commands without one, with all your rights"],
      ["--dry-run", "show what the rules decide, and for bash the diff it would make; nothing is kept"],
      ["--batch", "one {id, tool, args} on each line of stdin, one answer on each line of stdout"],
    ],
    words: ["[tool]", "[json]"],
  },
  answer: {
    usage: "[--all] [--json]\n       zeph answer <id> once|session|always|no [--reason <text>] [--json]",
    summary: "answer a question that was left for later",
    options: [
      JSON_OPTION,
      ["--all", "list: of every folder"],
      ["--reason <text>", "why; the model reads it"],
      ["--by <name>", "who answers, as the audit log names them (your user name)"],
      TALK_OPTIONS[1],
    ],
    words: ["[words...]"],
  },
  watch: {
    usage: "[--answer] [--port <n>] [--no-open]\n       zeph watch --plain [--once] [--json]",
    summary: "see on a local page what runs, what was decided and what is kept",
    options: [
      ["--answer", "whoever opens the page may answer questions; it is read only otherwise"],
      ["--port <n>", "take this port; default: one that is free"],
      ["--no-open", "print the link and open no browser"],
      ["--plain", "in this terminal: tell calls and questions of all running agents as they come"],
      ["--once", "with --plain: say what runs now, and end"],
      ["--json", "print JSON, one object on each line; for the page, its address"],
    ],
    words: [],
  },
  filter: {
    usage:
      "[options] -- <command…>\n       zeph filter [options] --command <line> < output\n       zeph filter --raw [id] | test <file> | rules [name] | savings [days]",
    summary: "show what a command prints as a model would read it",
    options: [
      ["--command <line>", "the command whose output comes on stdin"],
      ["--exit-code <n>", "with --command: how it ended (0)"],
      ["--json", "print one JSON object"],
      ["--explain", "say on stderr which rule did what"],
      ["--raw [id]", "print the whole text of a run that was shortened; the newest, or by id"],
    ],
    words: ["[words...]"],
    first: ["test", "rules", "savings"],
  },
  policy: {
    usage:
      "[status] [--json]\n       zeph policy check <tool> <json|-> [options]\n       zeph policy replay [--audit <file>] [--config <file>] [options]\n       zeph policy test <file> [--json]",
    summary: "show what the rules decide about calls, or test them",
    options: [
      JSON_OPTION,
      ["--phase <phase>", "check: planner, executor, verifier or autonomous (planner)"],
      ["--trust <level>", "check: how far the caller is trusted (trusted)"],
      ["--audit <file>", "replay: the log to read, in place of your own"],
      ["--all", "replay: list every call, not only those decided differently"],
      ["--limit <n>", "replay: list at most this many (200)"],
    ],
    words: ["[words...]"],
    first: ["status", "check", "replay", "test"],
    choices: { "--phase": ["planner", "executor", "verifier", "autonomous"], "--trust": TRUST },
  },
  tools: {
    usage: "[name] [--json]",
    summary: "list the tools, or show one in full",
    options: [JSON_OPTION],
    words: ["[name]"],
  },
  sessions: {
    usage: "[--json] [--all] [--limit <n>]\n       zeph sessions delete <id>",
    summary: "list the conversations of this folder, or delete one",
    options: [JSON_OPTION, ["--all", "of every folder"], ["--limit <n>", "at most this many (20)"]],
    words: ["[words...]"],
    first: ["delete"],
  },
  report: {
    usage: "<session> [--html | --md | --json] [--out <file>]",
    summary: "write a report of what a session did",
    options: [
      ["--html", "one page to read or print, which needs nothing besides"],
      ["--md", "Markdown; this is what comes without an option"],
      ["--json", "print JSON, with its own hash"],
      ["--out <file>", "write it to this new file"],
    ],
    words: ["[words...]"],
  },
  memory: {
    usage:
      "[list] [--all] [--limit <n>] [--json]\n       zeph memory search <words…> | show <id> | save <text…>\n       zeph memory forget <id> | --workspace | --all",
    summary: "list, search, save or forget memories",
    options: [
      JSON_OPTION,
      ["--all", "list or forget: of every folder"],
      ["--workspace", "forget: everything of this folder"],
      ["--everywhere", "save: for every folder"],
      ["--limit <n>", "at most this many"],
      ["--yes", "forget without asking"],
    ],
    words: ["[words...]"],
    first: ["list", "search", "show", "save", "forget"],
  },
  skills: {
    usage: "[list] [--json]\n       zeph skills show|trust|untrust|forget <name> [--json]",
    summary: "list the skills, show one, or say whether you trust it",
    options: [JSON_OPTION],
    words: ["[words...]"],
    first: ["list", "show", "trust", "untrust", "forget"],
  },
  schedule: {
    usage: "[list] | add <when> <task…> | remove <id> | run",
    summary: "scheduled tasks: list, add, remove or run them",
    options: [JSON_OPTION, ["--all", "list: of every folder"], ["--once", "run: only what is due now, then end"]],
    words: ["[words...]"],
    first: ["list", "add", "remove", "run"],
  },
  mcp: {
    usage:
      "[--http] [options]\n       zeph mcp add <name> [options] -- <command…>\n       zeph mcp add <name> --url <address> [options]\n       zeph mcp list|tools|prompts|resources|test|diff [server] [options]\n       zeph mcp remove|login|logout <server> [options]\n       zeph mcp prompt <server> <prompt> [name=value…]\n       zeph mcp read <server> <uri>",
    summary: "use the tools of MCP servers, or offer Zeph's tools",
    options: [],
    words: "its own",
    first: ["add", "list", "tools", "prompts", "prompt", "resources", "read", "test", "diff", "remove", "login", "snippet", "logout"],
    ownOptions: [
      JSON_OPTION,
      ["--url <address>", "add: where the server is"],
      ["--env <name=value>", "add: a variable for the server"],
      ["--header <name=value>", "add: a header of every request"],
      ["--trust <level>", "add: how far the server is trusted"],
      ["--tools <names>", "add: only these tools"],
      ["--timeout <seconds>", "add: how long one call may take"],
      ["--network", "add: let the command reach the network"],
      ["--read <path>", "add: more that the command may read"],
      ["--write <path>", "add: more that the command may write"],
      ["--sampling", "add: let the server ask your model, after a yes"],
      ["--force", "add: replace a server of that name"],
      ["--connect", "list: connect, and say how the servers are"],
      ["--accept", "diff: agree to what differs"],
      ["--yes", "diff: agree without asking"],
      ["--http", "serve many clients on one port"],
      ["--port <n>", "with --http: the port"],
      ["--host <address>", "with --http: the address to listen on"],
      ["--token <token>", "with --http: the token that clients send"],
      ["--sessions <n>", "with --http: how many may be open at a time (1000)"],
      ["--workspace <folder>", "where sessions may work; may be repeated"],
      ["--own-tools-off", "snippet: what switches off the client's own shell and edits"],
      ["--asked-by-client", "the client asks before each call: no second question about work inside the workspace"],
      ["--later", "serving: keep each question until `zeph answer` answers it"],
    ],
    choices: { "--trust": TRUST },
  },
  acp: {
    usage: "[options]",
    summary: "work as the agent of an editor that speaks ACP",
    options: [TALK_OPTIONS[1], LATER_OPTION],
    words: [],
  },
  ...FLEET_COMMANDS,
  demo: { usage: "", summary: "see what Zeph does, with a scripted model", options: [], words: [] },
  doctor: {
    usage: "[--online] [--json | --clean]",
    summary: "check what Zeph needs on this machine, and try its walls",
    options: [
      JSON_OPTION,
      ["--online", "ask the model and the addresses of providers, too"],
      ["--clean", "remove what commands keep between sessions: the caches of all workspaces"],
    ],
    words: [],
  },
  ...HOOK_COMMANDS,
  audit: {
    usage: "tail|verify|stats [options]",
    summary: "read and verify the audit log",
    options: [],
    words: "its own",
    first: ["tail", "verify", "stats"],
    ownOptions: [["-n, --lines <n>", "tail: how many entries (10)"], ["-f, --follow", "tail: go on with what comes"], JSON_OPTION],
  },
  config: {
    usage: "explain [key]|path|schema [options]",
    summary: "show the configuration, and what set each value",
    options: [],
    words: "its own",
    first: ["explain", "path", "schema"],
    ownOptions: [JSON_OPTION],
  },
  init: {
    usage: "[--project] [--force]",
    summary: "write a configuration file to start from",
    options: [],
    words: "its own",
    ownOptions: [
      ["--project", "a file for this folder"],
      ["--force", "replace the file that is there"],
    ],
  },
  import: {
    usage: "<client>… [--from <file>] [--into user|project] [options]",
    summary: "take over rules and MCP servers of another agent",
    options: [
      ["--from <file>", "read this file, or - for stdin, in place of the usual ones"],
      ["--into <where>", "user or project; else each file into its own kind"],
      ["--dry-run", "show what would be written, and write nothing"],
      ["--yes", "write without asking"],
      JSON_OPTION,
    ],
    words: ["[client...]"],
    first: ["claude", "codex", "gemini", "qwen", "opencode", "cursor", "mcp"],
    choices: { "--into": ["user", "project"] },
  },
  trust: {
    usage: "[folder | --skill <name>] [--revoke] [--list] [--json]",
    summary: "trust a project's configuration, or a skill",
    options: [],
    words: "its own",
    ownOptions: [
      ["--skill <name>", "trust this skill"],
      ["--revoke", "no longer trust it"],
      ["--list", "list what is trusted"],
      JSON_OPTION,
    ],
  },
  completion: {
    usage: "bash|zsh|fish",
    summary: "print a script that completes zeph commands in a shell",
    options: [],
    words: ["[shell]"],
    first: ["bash", "zsh", "fish"],
  },
};
