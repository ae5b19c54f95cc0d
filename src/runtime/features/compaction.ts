import { CompactionError, TooLittleError } from "../../agent/compaction.ts";
import { estimateTokens } from "../../agent/messages.ts";
import { CommandError } from "../../core/command.ts";
import { ToolError } from "../../core/error.ts";
import { ModelError } from "../../core/model-error.ts";
import { grouped, plural } from "../../text/words.ts";
import { compressContext } from "../../tools/compress-context.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import { type LentModel, requireModel } from "../agent/lent-model.ts";

/** Summaries of a conversation that becomes too long: at the model's wish and at the person's. */
export function compactionPart(s: Pick<Surroundings, "mind" | "store">, conversation: () => string | null): Part {
  return {
    tools: [
      compressContext(async (of, focus, signal) => {
        const mind = requireModel(s.mind(), "compress_context");
        const made = mind.compact(of, { method: "autonomous", ...(focus !== undefined && { focus }) }, signal).catch((error) => {
          if (error instanceof TooLittleError) return { tooLittle: error.message };
          throw error;
        });
        return failingAs(made, (message, cancelled) =>
          cancelled ? new ToolError("cancelled", message) : new ToolError("permanent_failure", message, { advice: GO_ON }),
        );
      }),
    ],
    commands: [
      {
        name: "/compact",
        usage: "/compact [focus]",
        help: "replace earlier messages by a summary; say what it must keep",
        async run(rest, signal) {
          const id = conversation();
          if (id === null) throw new CommandError("There is nothing to summarise: nothing has been said yet.");
          const mind: LentModel | null = s.mind();
          if (!mind) throw new CommandError("There is no model here that could make a summary.");
          const focus = rest.trim();
          const { messages, tokens } = await failingAs(
            mind.compact(id, { method: "manual", ...(focus !== "" && { focus }) }, signal),
            (message) => new CommandError(message),
          );
          return {
            text: `${plural(messages, "message")} became a summary: about ${grouped(tokens.before)} tokens are now ${grouped(tokens.after)}.`,
          };
        },
      },
    ],
    async status(): Promise<Readonly<Record<string, string>>> {
      const id = conversation();
      const all = id === null ? [] : await s.store.summaries.of(id);
      if (all.length === 0) return { knowledge: "no summaries" };
      const tokens = all.reduce((sum, { text }) => sum + estimateTokens(text), 0);
      return { knowledge: `${plural(all.length, "summary", "summaries")}, about ${grouped(tokens)} tokens` };
    },
  };
}

const GO_ON = "Nothing has changed. Go on with your work; do not try it again at once.";

/** What cannot be summarised is no accident: whoever asked is told why. */
async function failingAs<T>(work: Promise<T>, as: (message: string, cancelled: boolean) => Error): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CompactionError || error instanceof ModelError) throw as(error.message, isStopped(error));
    throw error;
  }
}

const isStopped = (error: Error) => error instanceof CompactionError && error.stopped;
