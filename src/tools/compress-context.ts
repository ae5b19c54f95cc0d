import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import { makeOnce } from "../text/make-once.ts";
import { grouped, plural } from "../text/words.ts";

/** Makes a summary of a conversation's earlier messages, or says why there is too little for one. What it throws is a ToolError; then everything is as it was. */
export type Compress = (
  conversation: string,
  focus: string | undefined,
  signal: AbortSignal,
) => Promise<
  { readonly messages: number; readonly tokens: { readonly before: number; readonly after: number } } | { readonly tooLittle: string }
>;

const input = makeOnce(() =>
  z.strictObject({
    focus: z.string().min(1).max(1000).optional().describe("What the summary must keep above all"),
  }),
);

/** The model's own wish to go on with less. It takes effect when the calls made beside it have ended. */
export const compressContext = (compress: Compress): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "compress_context",
    description:
      "Replace the earlier messages of this conversation by a summary, to make room. Use it when a piece of work is done and its details are no longer needed.",
    effect: "stores",
    facets: { answers: "fresh", shape: "whole", needs: "conversation", about: "context" },
    input,
    touches: () => [],
    async run(permit, { turn, signal }) {
      if (turn.conversationId === undefined)
        throw new ToolError("permanent_failure", "compress_context works only inside a conversation; this call belongs to none.");
      const made = await compress(turn.conversationId, permit.input.focus, signal);
      if ("tooLittle" in made) return { text: `${made.tooLittle} Nothing has changed.` };
      const { messages, tokens } = made;
      return {
        text: `${plural(messages, "earlier message is", "earlier messages are")} summarised. From your next message on the summary stands under Knowledge in their place: about ${grouped(tokens.after)} tokens are sent, not ${grouped(tokens.before)}. The newest messages stay.`,
        raw: { messages, tokens },
      };
    },
  });
