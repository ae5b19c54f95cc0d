import { ToolError } from "../../../core/error.ts";
import { record } from "../../../text/json.ts";
import { plural } from "../../../text/words.ts";
import { outputOf } from "../results.ts";
import { withoutDeception } from "../trust/deceptive-text.ts";
import { inALine } from "../trust/hidden-text.ts";

/** The text that a server wrote for a prompt. */
export interface PromptText {
  readonly text: string;
  /** There was more of it, which was left out. */
  readonly isCut: boolean;
}

/** A part of a resource: a text, or so many bytes that are not shown. */
export type ResourceContent = { readonly uri: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly bytes: number }
);

/** All of it is shown to the person and sent to a model, so it is no book. */
const LONGEST_PROMPT = 32_000;
const MOST_MESSAGES = 50;
const MOST_CONTENTS = 100;

/** The messages of a prompt as one text. Who is said to speak is a word before a message, and no more. */
export function promptText(server: string, wire: Record<string, unknown>): PromptText {
  const messages = Array.isArray(wire.messages) ? wire.messages : [];
  const said = messages.slice(0, MOST_MESSAGES).map((message) => {
    const { role, content } = record(message);
    const blocks = Array.isArray(content) ? content : [content];
    const { text } = outputOf({ content: blocks as never }, { server, unsent: "only the text of a prompt is" });
    return { role: role === "assistant" ? "assistant" : "user", text: text.trim() };
  });
  const whole = said.some(({ role }) => role === "assistant")
    ? said.map(({ role, text }) => `${role}: ${text}`).join("\n\n")
    : said.map(({ text }) => text).join("\n\n");
  if (whole.trim() === "") throw new ToolError("permanent_failure", `The MCP server "${server}" wrote nothing for this prompt.`);
  const isCut = whole.length > LONGEST_PROMPT || messages.length > MOST_MESSAGES;
  return { text: whole.slice(0, LONGEST_PROMPT).toWellFormed(), isCut };
}

/** The parts of a resource as blocks of an answer, for whoever shows those. The last one says how many were too many. */
export function resourceBlocks(wire: Record<string, unknown>, uri: string): { readonly type: "resource"; readonly resource: unknown }[] {
  const parts = Array.isArray(wire.contents) ? wire.contents : [];
  const over = parts.length - MOST_CONTENTS;
  const rest = { uri, text: `[${plural(over, "more part")} left out: ${MOST_CONTENTS} are the most of one resource]` };
  const shown = over > 0 ? [...parts.slice(0, MOST_CONTENTS), rest] : parts;
  return shown.map((resource) => ({ type: "resource", resource }));
}

/** The same as data. */
export const resourceContents = (wire: Record<string, unknown>, address: string): ResourceContent[] =>
  resourceBlocks(wire, address).map(({ resource }) => {
    const { uri, mimeType, text, blob } = record(resource);
    const about = { uri: inALine(String(uri ?? ""), 2000), ...(typeof mimeType === "string" && { mimeType: inALine(mimeType, 100) }) };
    if (typeof text === "string") return { ...about, text: withoutDeception(text) };
    // Of base64: three bytes in four letters.
    return { ...about, bytes: typeof blob === "string" ? Math.floor((blob.replace(/=+$/, "").length * 3) / 4) : 0 };
  });
