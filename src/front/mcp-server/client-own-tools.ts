import type { SnippetClient } from "./snippets.ts";

/** What a client is besides its settings about Zeph. */
export interface ClientHabits {
  /** The version in which the snippets were tried (`npm run lab:neighbours`); null: in none. */
  readonly tried: string | null;
  /** How its own shell and its own changes to files are switched off: where that is written, and what. Null: no setting for it is known. */
  readonly off: { readonly file: string; readonly text: string } | null;
}

const asJson = (value: object) =>
  JSON.stringify(value, null, 2).replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, words: string) => `[${words.replace(/\n\s+/g, " ")}]`);

export const HABITS: Readonly<Record<SnippetClient, ClientHabits>> = {
  "claude-desktop": { tried: null, off: null },
  "claude-code": {
    tried: "2.1.325",
    off: {
      file: ".claude/settings.json in the project, or ~/.claude/settings.json",
      text: asJson({ permissions: { deny: ["Bash", "Edit", "Write", "NotebookEdit"] } }),
    },
  },
  cursor: { tried: null, off: null },
  vscode: { tried: null, off: null },
  codex: {
    tried: "0.166.0",
    off: { file: "~/.codex/config.toml", text: "[features]\nshell_tool = false" },
  },
  gemini: {
    tried: "0.61.0",
    off: {
      file: "~/.gemini/settings.json, or .gemini/settings.json in the project",
      text: asJson({ tools: { exclude: ["run_shell_command", "write_file", "replace"] } }),
    },
  },
  qwen: {
    tried: "0.24.4",
    off: {
      file: "~/.qwen/settings.json, or .qwen/settings.json in the project",
      // What it notes down after a talk is done by an agent of its own, which has a shell all the same.
      text: asJson({
        permissions: { deny: ["run_shell_command", "edit", "write_file", "notebook_edit"] },
        memory: { enableManagedAutoMemory: false },
      }),
    },
  },
  opencode: {
    tried: "1.18.33",
    off: {
      file: "opencode.json in the project, or ~/.config/opencode/opencode.json",
      text: asJson({ permission: { bash: "deny", edit: "deny" } }),
    },
  },
  copilot: {
    tried: "1.0.102",
    off: {
      file: "a command: it has no setting for it, so it is said at each start",
      text: "copilot --excluded-tools=bash,read_bash,write_bash,stop_bash,list_bash,create,edit,apply_patch",
    },
  },
  zed: { tried: null, off: null },
  goose: {
    tried: null,
    off: { file: "~/.config/goose/config.yaml", text: "extensions:\n  developer:\n    enabled: false" },
  },
};

/** What a person is told beside a snippet, a sentence a line. */
export function habitLines(client: SnippetClient, name: string): string[] {
  const { tried, off } = HABITS[client];
  return [
    tried === null ? `Untested: nobody has tried this with ${name} yet.` : `Tried with ${name} ${tried}.`,
    `Where ${name} asks you before each call, \`zeph mcp --asked-by-client\` saves a second question of Zeph's about work inside the workspace. Where it calls tools unasked, leave that out.`,
    ...(off === null
      ? [
          `${name} keeps tools of its own beside Zeph's, and Zeph does not see what those do. No setting that switches them off is known here.`,
        ]
      : [
          `${name} keeps its own shell and file tools, and Zeph does not see what those do. What leaves all of that to Zeph${tried === null ? " (untested)" : ""}, for ${off.file}:`,
          off.text,
        ]),
  ];
}
