import { CommandError, type SlashCommand } from "../../core/command.ts";
import { ConversationError } from "../../core/ports/conversation-error.ts";
import type { Undone } from "../../core/ports/preimage.ts";
import { display } from "../../text/path.ts";
import { plural } from "../../text/words.ts";
import type { Agent } from "../agent/agent-types.ts";
import type { CurrentConversation } from "../agent/current-conversation.ts";
import { alone } from "../governance/words.ts";
import type { RuntimeInternals } from "../runtime.ts";

/** Undoes the file changes of the last turn that made some; null where there is none. Nothing is done that the audit log could not take. */
export async function undoLastTurn(inside: RuntimeInternals, talk: CurrentConversation): Promise<Undone | null> {
  const { undoing, cwd } = inside;
  if (undoing === null) return null;
  const turn = talk.lineage().reduce<string | null>((found, conversation) => found ?? undoing.last(conversation), null);
  if (turn === null) return null;
  const transcript = await talk.open("");
  if (transcript.waiting().length > 0) throw new ConversationError("A question of this conversation is open. Answer it first, then undo.");
  inside.note(`the person undoes the file changes of the turn ${turn}`);
  const undone = await undoing.undo(turn);
  inside.note(`the file changes of the turn ${turn} are undone: ${undoneText(undone, cwd, "; ")}`);
  const told = `[undone] The person undid the file changes of an earlier turn. ${undoneText(undone, cwd, "; ")}. Read a file again before you change it.`;
  await transcript.append({ role: "user", from: "loop", text: inside.redact(told) });
  return undone;
}

/** Types what was done: it is the person's own act, so nothing asks. */
export function createUndoCommand(agent: Pick<Agent, "undo">, cwd: string): SlashCommand {
  const usage = "/undo";
  return {
    name: "/undo",
    usage,
    help: "put back the files that the last turn changed",
    run: async (rest) =>
      alone(rest.trim(), usage, async () => {
        const undone = await agent.undo();
        if (undone === null) throw new CommandError("There is nothing to undo: no turn of this conversation changed a file that was kept.");
        return { text: `${undoneText(undone, cwd, "\n")}\nOf commands, only files that they name in their text are put back.` };
      }),
  };
}

const MOST_NAMED = 50;

function undoneText({ restored, removed, left }: Undone, cwd: string, between: string): string {
  const shown = (path: string) => display(path, cwd);
  const parts = [
    ...listText("restored", restored.map(shown)),
    ...listText("removed", removed.map(shown)),
    ...listText(
      "left alone",
      left.map(({ path, why }) => `${shown(path)} (${why})`),
    ),
  ];
  return parts.length === 0 ? "every file is as it was already" : parts.join(between);
}

function listText(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMED ? `, and ${plural(names.length - MOST_NAMED, "more file")}` : "";
  return [`${word}: ${names.slice(0, MOST_NAMED).join(", ")}${more}`];
}
