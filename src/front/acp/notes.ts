import { randomUUID } from "node:crypto";
import { boundedMiddle, visible } from "../../text/visible.ts";
import type { Wire } from "./wire.ts";

export type NoteSeverity = "info" | "warning" | "error";

/** Notes to the person besides the model's answer. */
export interface EditorNotes {
  /** At once where the editor shows notices; else, in a turn, as a message of its own, and between turns when the next one begins. */
  tell(severity: NoteSeverity, text: string): Promise<void>;
  /** How things go on; of no use afterwards. */
  aside(text: string): Promise<void>;
  turnBegins(): Promise<void>;
  turnEnds(): void;
}

const LONGEST = 4000;
const MOST_KEPT = 20;

export function createEditorNotes(wire: Wire): EditorNotes {
  let inTurn = false;
  let kept: [NoteSeverity, string][] = [];
  const notices = () => Boolean(wire.can.session?.notices);
  const message = (severity: NoteSeverity, text: string) =>
    wire.update({
      sessionUpdate: "agent_message_chunk",
      messageId: randomUUID(),
      content: { type: "text", text: `${SAID[severity]}${text}\n\n` },
    });
  return {
    async tell(severity, said) {
      const text = visible(boundedMiddle(said, LONGEST));
      if (notices()) return wire.update({ sessionUpdate: "notice", severity, ...titled(text) });
      if (inTurn) return message(severity, text);
      kept = [...kept.slice(1 - MOST_KEPT), [severity, text]];
    },
    async aside(said) {
      const text = visible(boundedMiddle(said, LONGEST));
      if (notices()) return wire.update({ sessionUpdate: "notice", severity: "info", ...titled(text) });
      if (inTurn)
        await wire.update({
          sessionUpdate: "agent_thought_chunk",
          messageId: randomUUID(),
          content: { type: "text", text: `${text}\n\n` },
        });
    },
    async turnBegins() {
      inTurn = true;
      for (const [severity, text] of kept.splice(0)) await message(severity, text);
    },
    turnEnds() {
      inTurn = false;
    },
  };
}

const SAID: Readonly<Record<NoteSeverity, string>> = { info: "", warning: "Warning: ", error: "" };
const LONGEST_TITLE = 160;

/** The title can stand alone. */
function titled(text: string): { title: string; description?: string } {
  const [first = ""] = text.split("\n");
  return text.length <= LONGEST_TITLE && first === text
    ? { title: text || "…" }
    : { title: first.length <= LONGEST_TITLE ? first || "…" : `${first.slice(0, LONGEST_TITLE).toWellFormed()}…`, description: text };
}
