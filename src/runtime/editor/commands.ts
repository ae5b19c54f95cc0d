import type { SlashCommand } from "../../core/command.ts";
import type { Agent } from "../agent/agent-types.ts";
import { briefGates } from "../rules/gate-views.ts";

/** What a terminal has of its own, for who works in an editor. To begin anew there, one opens a new session. */
export function editorCommands(agent: Agent): SlashCommand[] {
  return [
    {
      name: "/help",
      usage: "/help",
      help: "list what can be typed with a slash",
      async run() {
        const all = [...editorCommands(agent), ...agent.commands()];
        return { text: all.map(({ usage, help }) => `${usage}\n    ${help}`).join("\n") };
      },
    },
    {
      name: "/status",
      usage: "/status",
      help: "the model, the tools, every gate and the state of every part",
      async run() {
        const rows: Record<string, string> = {
          model: agent.model.id,
          conversation: agent.conversation ?? "none yet",
          tools: String(agent.zeph.tools().length),
          autonomy: agent.zeph.governance.autonomy(),
          gates: briefGates(agent.zeph.governance.gates()),
          ...(await agent.status()),
        };
        const widest = Math.max(...Object.keys(rows).map((name) => name.length));
        return {
          text: Object.entries(rows)
            .map(([name, text]) => `${name.padEnd(widest)}  ${text}`)
            .join("\n"),
        };
      },
    },
  ];
}
