import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { EditorAutonomy, EditorSession } from "./editor-agents.ts";

const AUTONOMY: Readonly<Record<EditorAutonomy, { readonly name: string; readonly description: string }>> = {
  readonly: { name: "Read only", description: "Reads and searches. Every call that would change something is refused without asking." },
  supervised: { name: "Supervised", description: "Asks before a call that no rule allows." },
  edits: { name: "Edits", description: "As supervised, but files of the workspace are edited without asking." },
  full: { name: "Full", description: "Answers every question with yes. What a rule denies stays denied." },
};
const LEVELS = Object.keys(AUTONOMY) as EditorAutonomy[];

export const isAutonomy = (value: unknown): value is EditorAutonomy => LEVELS.includes(value as EditorAutonomy);

type Chosen = Pick<EditorSession, "models" | "autonomy">;

/** Clients that know no config options have modes. Both say the same. */
export const modesOf = (session: Chosen): SessionModeState => ({
  currentModeId: session.autonomy(),
  availableModes: LEVELS.map((id) => ({ id, ...AUTONOMY[id] })),
});

export function configOptionsOf(session: Chosen): SessionConfigOption[] {
  const { current, options } = session.models();
  return [
    {
      id: "autonomy",
      type: "select",
      category: "mode",
      name: "Autonomy",
      description: "What may run without asking, in this session",
      currentValue: session.autonomy(),
      options: LEVELS.map((value) => ({ value, ...AUTONOMY[value] })),
    },
    {
      id: "model",
      type: "select",
      category: "model",
      name: "Model",
      description: "The model that answers from the next prompt on",
      currentValue: current,
      options: options.map((one) => ({ ...one })),
    },
  ];
}
