import type { Catalogue } from "../../catalog/catalogue.ts";
import { fitInput } from "../../core/call.ts";
import { mark, readHeading } from "../../core/ports/skill.ts";
import type { OpenSession } from "../../core/session.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { TaintMarks } from "../../core/turn.ts";
import type { SentinelGate } from "../../gates/sentinel/sentinel.ts";
import type { UtilityGate } from "../../gates/utility/utility.ts";
import type { PastCall, Verifiers } from "../../gates/verifiers.ts";
import type { SkillsPart } from "../features/skills.ts";
import type { RuntimeInternals } from "../runtime.ts";

const MOST_OPEN = 1000;

export interface ListenerParts {
  readonly session: OpenSession;
  readonly tools: () => ReadonlyMap<string, AnyTool>;
  readonly catalogue: Pick<Catalogue, "used">;
  readonly skills: Pick<SkillsPart, "wasRead">;
  /** The gates as they are now. */
  readonly gates: { readonly verify: Verifiers; readonly worth: UtilityGate; readonly watching: SentinelGate };
}

/** What gates must know of a conversation: who said what, and whose texts a model has read. */
export function createConversationListener({
  session,
  tools,
  catalogue,
  skills,
  gates,
}: ListenerParts): Pick<RuntimeInternals, "heard" | "known" | "recall" | "readStranger"> {
  const seenIn = (conversationId: string): TaintMarks => session.current({ conversationId }).seen;
  /** Calls whose results have not been heard yet. */
  const open = new Map<string, PastCall>();
  return {
    recall({ id, seen }) {
      const now = seenIn(id);
      if (seen.untrusted) now.untrusted = true;
      if (seen.skill) mark(now, seen.skill);
    },
    readStranger(conversation, what) {
      const seen = seenIn(conversation);
      if (seen.untrusted) return;
      seen.untrusted = true;
      gates.watching.heard(conversation, { stranger: what });
    },
    known: (conversation, text) => gates.verify.heard(conversation, "known", text),
    async heard(conversation, message) {
      const seen = seenIn(conversation);
      if (message.role === "assistant") {
        const asked = message.parts.filter((part) => part.type === "request");
        for (const { name } of asked) catalogue.used(name);
        if (asked.some(({ name }) => tools().get(name)?.effect === "fetches")) seen.untrusted = true;
        for (const { id, name, args } of asked) {
          const tool = tools().get(name);
          if (tool) gates.watching.heard(conversation, { tool, args });
          const input = tool && fitInput(tool, args, "ignore").fit;
          if (!tool || !input?.ok) continue;
          open.set(`${conversation} ${id}`, { tool, input: input.value, touches: tool.touches(input.value, null) });
          if (open.size > MOST_OPEN) open.delete(open.keys().next().value!);
        }
        for (const { name, args } of asked)
          if (name === "load_skill") await skills.wasRead(String((args as { name?: unknown }).name), seen);
        return;
      }
      if (message.role === "tool") {
        const key = `${conversation} ${message.id}`;
        gates.verify.heardResult(conversation, message.text, open.get(key));
        open.delete(key);
        gates.watching.heard(conversation, { text: message.text });
        // The text that was read may have been another one than the skill has now.
        const read = readHeading(message.text);
        if (read) mark(seen, read);
        return;
      }
      if (message.from === "server" && !seen.untrusted) {
        seen.untrusted = true;
        gates.watching.heard(conversation, { stranger: "the text of an MCP server that was sent along with a message" });
      }
      if (message.from === undefined) gates.worth.heard(conversation, message.text);
      if (message.from !== "schedule") gates.verify.heard(conversation, message.from === undefined ? "person" : "known", message.text);
      // What somebody else wrote down for later may hold an address that nobody was given.
      else if (!seen.untrusted && !seen.skill) gates.verify.heard(conversation, "person", message.text);
    },
  };
}
