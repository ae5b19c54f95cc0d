/** A command and its words. What it does is in actions.ts, which is not read before it is needed. */
interface CommandSpec {
  readonly usage: string;
  /** Without a capital and a full stop. */
  readonly summary: string;
  readonly options: readonly (readonly [string, string])[];
  readonly words: readonly string[] | "its own";
}

const JSON_OPTION = ["--json", "print JSON"] as const;

/** For whoever talks with a model. */
export const TALK_OPTIONS = [
  ["--continue [id]", "continue the last conversation of this folder, or the one with this id"],
  ["--model <name>", "the provider to ask, by its name in the configuration"],
] as const;

export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  run: {
    usage: "<task…|-> [options]",
    summary: "give a model a task, and let it work",
    options: [
      ["--json", "print every event as one JSON object; questions are answered on stdin"],
      ["--max-turns <n>", "stop after this many rounds of tool calls (1 to 100)"],
      ...TALK_OPTIONS,
      ["--no-wait", "at the end, kill background commands instead of waiting for them"],
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
      ["--yes", "answer questions with yes, once; denials stay, and no command runs without walls"],
      ["--without-walls", "where no sandbox works, run commands without one, with all your rights"],
      ["--dry-run", "show what the rules decide, and for bash the diff it would make; nothing is kept"],
      ["--batch", "one {id, tool, args} on each line of stdin, one answer on each line of stdout"],
    ],
    words: ["[tool]", "[json]"],
  },
  filter: {
    usage:
      "[options] -- <command…>\n       zeph filter [options] --command <line> < output\n       zeph filter --raw [id] | test <file> | rules [name]",
    summary: "show what a command prints as a model would read it",
    options: [
      ["--command <line>", "the command whose output comes on stdin"],
      ["--exit-code <n>", "with --command: how it ended (0)"],
      ["--json", "print one JSON object"],
      ["--explain", "say on stderr which rule did what"],
      ["--raw [id]", "print the whole text of a run that was shortened; the newest, or by id"],
    ],
    words: ["[words...]"],
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
  },
  schedule: {
    usage: "[list] | add <when> <task…> | remove <id> | run",
    summary: "scheduled tasks: list, add, remove or run them",
    options: [JSON_OPTION, ["--all", "list: of every folder"], ["--once", "run: only what is due now, then end"]],
    words: ["[words...]"],
  },
  mcp: {
    usage:
      "[--http] [options]\n       zeph mcp add <name> [options] -- <command…>\n       zeph mcp add <name> --url <address> [options]\n       zeph mcp list|tools|test|diff|remove|login|logout [server] [options]",
    summary: "use the tools of MCP servers, or offer Zeph's tools",
    options: [],
    words: "its own",
  },
  acp: { usage: "[options]", summary: "work as the agent of an editor that speaks ACP", options: [TALK_OPTIONS[1]], words: [] },
  demo: { usage: "", summary: "see what Zeph does, with a scripted model", options: [], words: [] },
  doctor: { usage: "[--json]", summary: "test the sandbox around commands on this machine", options: [JSON_OPTION], words: [] },
  audit: { usage: "tail|verify|stats [options]", summary: "read and verify the audit log", options: [], words: "its own" },
  config: {
    usage: "explain [key]|path|schema [options]",
    summary: "show the configuration, and what set each value",
    options: [],
    words: "its own",
  },
  init: {
    usage: "[--project] [--force]",
    summary: "write a configuration file to start from",
    options: [],
    words: "its own",
  },
  trust: {
    usage: "[folder | --skill <name>] [--revoke] [--list] [--json]",
    summary: "trust a project's configuration, or a skill",
    options: [],
    words: "its own",
  },
};
