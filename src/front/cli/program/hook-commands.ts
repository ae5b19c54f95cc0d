import { type CommandSpec, JSON_OPTION } from "./command-spec.ts";

/** Commands for other agents, whose calls are judged here. */
export const HOOK_COMMANDS: Readonly<Record<string, CommandSpec>> = {
  hook: {
    usage:
      "install <client…> | --all [options]\n       zeph hook status [client…] [--json]\n       zeph hook test <client> [--live [--program <path>]] [--json]\n       zeph hook remove <client…> | --all [--dry-run] [--yes]\n       zeph hook list | approve <id> | deny <id>\n       zeph hook run <client> pre|post",
    summary: "judge the calls of another agent, as its hook",
    options: [],
    words: "its own",
    first: ["install", "status", "test", "remove", "list", "approve", "deny", "run"],
    ownOptions: [
      JSON_OPTION,
      ["--all", "install: every client on PATH; remove: every client"],
      ["--project", "install: for this folder alone, in a file that is not committed"],
      ["--shared", "install: for this folder alone, in a file that is committed"],
      ["--mode <mode>", "install: what the hook does (guard)"],
      ["--on-failure <what>", "install: what becomes of a call when Zeph does not answer (deny)"],
      ["--dry-run", "install, remove: show what would change"],
      ["--yes", "install: write without asking; remove asks nothing anyway"],
      ["--live", "test: start the client itself, with a scripted model"],
      ["--program <path>", "test --live: the client's program, where it is not on PATH"],
      ["--trust-codex-hooks", "install: have Codex trust the hooks it is shown"],
    ],
    choices: { "--mode": ["guard", "walls", "filter"], "--on-failure": ["deny", "allow"] },
  },
  exec: {
    usage: "[--ticket <t>] -- <command…>",
    summary: "run a command behind the walls, with its own exit code and streams",
    options: [["--ticket <t>", "what a hook gave for this command; it is good once, for a minute"]],
    words: ["[words...]"],
  },
  hookd: {
    usage: "",
    summary: "answer hooks and run the commands of exec; started by the first of them",
    options: [],
    words: [],
  },
};
