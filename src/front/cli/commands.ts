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
  ["--continue [id]", "go on with the last conversation of this folder, or with this one"],
  ["--model <name>", "the provider to ask, by its name in the configuration"],
] as const;

export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  run: {
    usage: "<task…|-> [options]",
    summary: "give a model a task, and let it work",
    options: [
      ["--json", "print every event as one JSON object; questions are answered on stdin"],
      ["--max-turns <n>", "stop after so many rounds of tool calls (1 to 100)"],
      ...TALK_OPTIONS,
      ["--no-wait", "kill what still runs in the background at the end, and say so"],
      ["--yes", "answer questions with yes, once; never lifts a denial, nor lets a command run without walls"],
      ["--without-walls", "where no sandbox works: run commands all the same, with all your rights"],
    ],
    words: ["[task...]"],
  },
  call: {
    usage: "<tool> <json|-> [options]\n       zeph call --batch [--yes] [--without-walls]",
    summary: "run one tool, or a batch of calls, through every gate",
    options: [
      ["--json", "print the whole answer as one JSON object"],
      ["--yes", "answer questions with yes, once; never lifts a denial, nor lets a command run without walls"],
      ["--without-walls", "where no sandbox works: run commands all the same, with all your rights"],
      ["--dry-run", "show what would be decided, and for bash the diff it would make; keep nothing"],
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
    summary: "ask the rules about a call, past calls or themselves",
    options: [
      JSON_OPTION,
      ["--phase <phase>", "check: planner, executor, verifier or autonomous (planner)"],
      ["--trust <level>", "check: how far the caller is believed (trusted)"],
      ["--audit <file>", "replay: the log to read, in place of your own"],
      ["--all", "replay: list every call, not only those that flip"],
      ["--limit <n>", "replay: list at most so many (200)"],
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
    options: [JSON_OPTION, ["--all", "of every folder"], ["--limit <n>", "at most so many (20)"]],
    words: ["[words...]"],
  },
  memory: {
    usage:
      "[list] [--all] [--limit <n>] [--json]\n       zeph memory search <words…> | show <id> | save <text…>\n       zeph memory forget <id> | --workspace | --all",
    summary: "look at what is remembered, or forget it",
    options: [
      JSON_OPTION,
      ["--all", "list or forget: of every folder"],
      ["--workspace", "forget: everything of this folder"],
      ["--everywhere", "save: for every folder"],
      ["--limit <n>", "at most so many"],
      ["--yes", "forget without asking"],
    ],
    words: ["[words...]"],
  },
  schedule: {
    usage: "[list] | add <when> <task…> | remove <id> | run",
    summary: "tasks for later: list, add, remove, or work them off",
    options: [JSON_OPTION, ["--all", "list: of every folder"], ["--once", "run: only what is due now, then end"]],
    words: ["[words...]"],
  },
  mcp: {
    usage:
      "[--http] [options]\n       zeph mcp add <name> [options] -- <command…>\n       zeph mcp add <name> --url <address> [options]\n       zeph mcp list|tools|test|diff|remove|login|logout [server] [options]",
    summary: "use the tools of MCP servers, or be one",
    options: [],
    words: "its own",
  },
  acp: { usage: "[options]", summary: "be the agent of an editor that speaks ACP", options: [TALK_OPTIONS[1]], words: [] },
  demo: { usage: "", summary: "watch a scripted model at work, in a folder of its own", options: [], words: [] },
  doctor: { usage: "[--json]", summary: "try the walls around commands, and say what holds here", options: [JSON_OPTION], words: [] },
  audit: { usage: "tail|verify|stats [options]", summary: "read and verify the audit log", options: [], words: "its own" },
  config: {
    usage: "explain [key]|path|schema [options]",
    summary: "show what is configured, and who set it",
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
    summary: "vouch for a project's configuration, or for a skill",
    options: [],
    words: "its own",
  },
};
