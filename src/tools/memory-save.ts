import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { boundTo } from "../core/ports/skill.ts";
import type { Memories } from "../core/ports/store.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import { storedUnder } from "../core/turn.ts";
import { makeOnce } from "../text/make-once.ts";
import type { MemoryMeaning } from "./memory-meaning.ts";

const MOST_CHARACTERS = 20_000;

const input = makeOnce(() =>
  z.strictObject({
    content: z.string().describe("What to remember, in words that will be understood without this conversation"),
    everywhere: z.boolean().optional().describe("Also in other folders (false)"),
  }),
);

export interface MemorySaving {
  readonly save: Memories["save"];
  /** Where what is saved is found again. */
  readonly workspace: string;
  readonly redact: (text: string) => string;
  readonly meaning: Pick<MemoryMeaning, "fill">;
}

/** Keeps a text for later conversations, without the secrets in it. */
export const memorySave = ({ save, workspace, redact, meaning }: MemorySaving): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "memory_save",
    description: "Remember a fact, a decision or a wish of the user for later conversations. Found again with memory_search.",
    effect: "stores",
    facets: { answers: "fresh", shape: "whole", needs: "nothing", about: "memory" },
    input,
    touches: () => [],
    claims: "memory",
    async run(permit, { turn }) {
      const { content, everywhere = false } = permit.input;
      const given = content.trim();
      if (given === "") throw new ToolError("invalid_parameters", "content is empty. Say what to remember.");
      if (given.length > MOST_CHARACTERS) throw tooLong(given.length);
      const text = redact(given).trim();
      if (text.length > MOST_CHARACTERS) throw tooLong(text.length);
      const bound = boundTo(turn);
      if (bound && everywhere) throw notForAll(bound.name);
      const isForAll = everywhere && !turn.rights;
      const began = Date.now();
      const memory = await save({
        content: text,
        // What is for everywhere is for everybody.
        workspace: isForAll ? null : storedUnder(workspace, turn),
        untrusted: turn.seen.untrusted || bound !== null,
        ...(turn.conversationId !== undefined && { conversation: turn.conversationId }),
      });
      const id = memory.id.slice(0, 8);
      if (memory.createdAt < began) return { text: `That was saved already, as ${id}.`, raw: { id: memory.id, known: true } };
      meaning.fill(memory);
      const where = isForAll ? "for every folder" : "for this folder";
      const hidden = text === given ? "" : " What looked like a secret in it was not saved.";
      return { text: `Saved ${where} as ${id}.${hidden}`, raw: { id: memory.id, known: false } };
    },
  });

const notForAll = (name: string) =>
  new ToolError("policy_blocked", `"${name}" is not trusted, so nothing is saved for every folder in its name. Save it for this folder.`);

const tooLong = (length: number) =>
  new ToolError(
    "invalid_parameters",
    `content has ${length} characters; at most ${MOST_CHARACTERS} are kept. Save a summary of it, or the path of a file that holds it.`,
  );
