import { type CommandSpec, JSON_OPTION } from "./command-spec.ts";

/** For whoever works with a fleet. */
const FLEET_OPTIONS = [
  ["--store <address>", "the shared database, as ZEPH_STORE or store.url say it"],
  ["--bus <address>", "where hints go, as ZEPH_BUS or fleet.bus say it"],
  ["--tenant <name>", "whose sessions and tasks (main)"],
] as const;

/** Commands for many machines. */
export const FLEET_COMMANDS: Readonly<Record<string, CommandSpec>> = {
  store: {
    usage: "init|migrate|check <address>\n       zeph store copy <address> --from <file>",
    summary: "make, update, check or fill a database that machines share",
    options: [
      JSON_OPTION,
      ["--from <file>", "copy: the SQLite file to read; it is not changed"],
      ["--tenant <name>", "copy: whose data it becomes (main)"],
    ],
    words: ["[words...]"],
    first: ["init", "migrate", "check", "copy"],
  },
  serve: {
    usage: "[options]",
    summary: "a gateway of a fleet: MCP over HTTP and an API for tasks",
    options: [
      ...FLEET_OPTIONS,
      ["--port <n>", "the port (7344)"],
      ["--host <address>", "the address to listen on (127.0.0.1)"],
      ["--url <address>", "the address that people use, where a proxy stands before it: https://fleet.example"],
      ["--sessions <n>", "how many MCP sessions of a tenant may be open at a time (1000)"],
      ["--workspace <folder>", "with --tenant: where MCP sessions may work; may be repeated"],
    ],
    words: [],
  },
  worker: {
    usage: "[options]",
    summary: "a worker of a fleet: takes sessions and tasks, and runs them",
    options: [
      ...FLEET_OPTIONS,
      ["--slots <n>", "how many at a time (8)"],
      ["--label <name>", "take tasks with this label too; may be repeated"],
      ["--name <name>", "how this worker is called (host and process)"],
      ["--workspaces <folder>", "where it keeps copies of repositories"],
    ],
    words: [],
  },
  submit: {
    usage: "<task…|-> [options]\n       zeph submit --file <tasks.jsonl> --batch <name> [options]",
    summary: "give a task, or a file of tasks, to a fleet",
    options: [
      ...FLEET_OPTIONS,
      JSON_OPTION,
      ["--repo <url>", "the repository to work in; url@branch for a branch"],
      ["--session <id>", "the session it belongs to; tasks of a session run one after the other"],
      ["--key <key>", "the same key again adds nothing"],
      ["--label <name>", "only a worker with this label takes it"],
      ["--wait", "wait until it is over, and print the answer"],
      ["--follow", "print what happens until it is over"],
      ["--file <file>", 'tasks, one JSON object a line: {"text": "what to do"}; - reads stdin'],
      ["--batch <name>", "the name of the batch"],
      ["--retry-failed", "lines of the file whose tasks failed or were cancelled are tried again, under their own keys"],
      ["--limit <key=n>", "run at most n tasks of this limit at a time; key=n/min: n requests to the model in a minute; may be repeated"],
      ["--on-unknown <what>", "tell: go on and say so; stop: end, when nobody knows what came of a call (tell)"],
    ],
    words: ["[task...]"],
    choices: { "--on-unknown": ["tell", "stop"] },
  },
  fleet: {
    usage:
      "status|workers|drain <worker>|tasks|task <id>|cancel <id>|results <batch>\n       zeph fleet approvals [<id>]|approve <id> [once|session|edits|always]|deny <id>\n       zeph fleet policy push <folder>|history|rollback <version>|show [<version>]|proposals\n       zeph fleet audit verify|export|keygen <file>\n       zeph fleet token add <person>|list|revoke <id>",
    summary: "look at a fleet and govern it",
    options: [
      ...FLEET_OPTIONS,
      JSON_OPTION,
      ["--state <state>", "tasks, results: only those in this state"],
      ["--batch <name>", "tasks, cancel: those of this batch"],
      ["--limit <n>", "at most this many"],
      ["--jsonl", "results: one JSON object a line"],
      ["--reason <text>", "approve, deny: why; the model reads it"],
      ["--since <time>", "audit: from this moment on: 2026-11-17, 24h or 7d"],
      ["--key <file>", "audit verify: the public keys that may have signed checkpoints"],
      ["--root <root|file>", "audit verify: a root that was kept, or a file of them"],
      ["--role <role>", "token: user, approver, operator or auditor (user); several with commas"],
      ["--until <time>", "token: when it ends: 2027-01-31 or 90d"],
    ],
    words: ["[words...]"],
    first: ["status", "workers", "drain", "tasks", "task", "cancel", "results", "approvals", "approve", "deny", "policy", "audit", "token"],
  },
};
