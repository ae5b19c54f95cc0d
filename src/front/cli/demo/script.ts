import type { ConfigInput } from "../../../core/inputs/config-input.ts";
import type { ModelEvent } from "../../../core/ports/model.ts";

/** The folder the demo works in. */
export const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Greeter\n\nSays hello.\n",
  "src/greet.ts": 'export function greet(name: string) {\n  // TODO: be polite\n  return "Hello " + name;\n}\n',
};

/** The whole configuration of the demo. */
export const CONFIG: ConfigInput = {
  agent: { max_tool_iterations: 20 },
  tools: {
    permissions: { edit: [{ pattern: "src/**", action: "allow" }] },
    shell: { transactional: true, auto_rollback: true },
  },
};

/** Beside the workspace, so that there is something to be kept away from. */
export const SECRET = "secret.txt";

export interface DemoScene {
  readonly title: string;
  readonly says: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Shown only where walls stand: without them no command is run here. */
  readonly needs?: "walls";
}

export const STEPS: readonly DemoScene[] = [
  { title: "A read passes", says: "I look at the project first.", tool: "read", args: { path: "README.md" } },
  { title: "A search passes, too", says: "What is left to do?", tool: "grep", args: { pattern: "TODO" } },
  {
    title: "A write needs a yes",
    says: "I write the plan down.",
    tool: "write",
    args: { path: "PLAN.md", content: "# Plan\n\n- be polite\n" },
  },
  {
    title: "A rule allows an edit, and the diff shows it",
    says: "Now the change itself.",
    tool: "edit",
    args: {
      path: "src/greet.ts",
      old_string: '  // TODO: be polite\n  return "Hello " + name;',
      new_string: '  return "Good day, " + name;',
    },
  },
  { title: "A file outside the workspace is denied", says: "I look at a file outside.", tool: "read", args: { path: `../${SECRET}` } },
  {
    title: "A command runs behind walls",
    says: "Is the change there?",
    needs: "walls",
    tool: "bash",
    args: { command: "grep -n 'Good day' src/*.ts; id -un" },
  },
  {
    title: "A command cannot reach that file either",
    says: "I try to read that file with a command.",
    needs: "walls",
    tool: "bash",
    args: { command: `cat ../${SECRET} || ls ..` },
  },
  { title: "sudo is never run", says: "I try it as the superuser.", tool: "bash", args: { command: `s""udo cat ../${SECRET}` } },
  {
    title: "A command that fails is undone",
    says: "One more change, and a test that fails.",
    needs: "walls",
    tool: "bash",
    args: { command: "sed -i s/Good/Bad/ src/greet.ts; rm PLAN.md; exit 1" },
  },
  { title: "A wrong tool name gets a hint", says: "One last look.", tool: "raed", args: { path: "PLAN.md" } },
];

const GOODBYE = "The greeting is polite now, and the plan is in PLAN.md.";

export const turnsOf = (steps: readonly DemoScene[]): readonly (readonly ModelEvent[])[] => [
  ...steps.map(({ says, tool, args }, n): ModelEvent[] => [
    { type: "text", text: says },
    { type: "request", request: { id: `demo-${n + 1}`, name: tool, args } },
  ]),
  [{ type: "text", text: GOODBYE }],
];
