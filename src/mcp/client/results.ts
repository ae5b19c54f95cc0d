import type { CallToolResult } from "@modelcontextprotocol/client";
import { ToolError } from "../../core/error.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { ToolOutput } from "../../core/tool.ts";
import { deeperThan, record } from "../../text/json.ts";
import { rewordError } from "./errors.ts";
import { gatherMedia } from "./result-media.ts";
import { outputMisfit } from "./schema/output-schema.ts";
import { withoutDeception } from "./trust/deceptive-text.ts";
import { inALine } from "./trust/hidden-text.ts";

const MOST_CHARACTERS = 20_000_000;
const MOST_DEPTH = 60;

export interface ResultSource {
  readonly server: string;
  readonly outputSchema?: unknown;
  readonly walls?: Walls;
  /** Why images and recordings are named and not handed on. */
  readonly unsent?: string;
  /** Ours, about what the call left behind. */
  readonly notes?: readonly string[];
}

/** The answer of a server as a tool's output. Throws where it says that it failed. */
export function outputOf(result: CallToolResult, from: ResultSource): ToolOutput {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const media = gatherMedia(from.unsent);
  const texts = [...blocks.map((block) => media.take(record(block)) ?? blockText(record(block))), media.rest()].filter(
    (text) => text !== "",
  );
  const structured = deeperThan(result.structuredContent, MOST_DEPTH) ? undefined : result.structuredContent;
  if (texts.length === 0 && structured !== undefined) texts.push(dataText(structured));
  if (result.structuredContent !== undefined && structured === undefined) texts.push("[structured content: nested too deep, not shown]");
  const odd = structured === undefined || result.isError ? null : outputMisfit(from.outputSchema, structured);
  if (odd !== null) texts.push(`[the structured content is not as the server's schema says: ${inALine(odd)}]`);
  const whole = withoutDeception(texts.join("\n"));
  const isCut = whole.length > MOST_CHARACTERS;
  const text = isCut ? `${whole.slice(0, MOST_CHARACTERS).toWellFormed()}\n[cut after ${MOST_CHARACTERS} characters]` : whole;
  const output: ToolOutput = {
    text: withNotes(text, from.notes),
    ...(structured !== undefined && { raw: structured }),
    ...(isCut && { truncated: true }),
    ...(media.all().length > 0 && { media: media.all() }),
    ...(from.walls && { walls: from.walls }),
  };
  if (result.isError) throw new ToolError("permanent_failure", `The MCP server "${from.server}" says that the call failed.`, { output });
  return output;
}

/** A call that failed without an answer may have left something all the same. */
export function withLeftNotes(error: ToolError, { walls, notes = [] }: Pick<ResultSource, "walls" | "notes">): ToolError {
  if (notes.length === 0 || error.output) return error;
  return rewordError(error, error.message, { text: withNotes("", notes), ...(walls && { walls }) });
}

/** After everything that the server said, as after what a command printed. Names of files in them are the server's. */
const withNotes = (text: string, notes: readonly string[] = []): string =>
  notes.length === 0
    ? text
    : [text.replace(/\n+$/, ""), ...notes.map((note) => `[${inALine(note, 1000)}]`)].filter((part) => part !== "").join("\n");

/** In one line while it is short: blanks cost, too. In several, so that pieces of it can be read, when it is not. */
function dataText(data: unknown): string {
  const line = JSON.stringify(data) ?? "";
  return line.length <= LONGEST_LINE ? line : JSON.stringify(data, null, 2);
}

const LONGEST_LINE = 2000;

/** Of blocks without bytes: those stand beside the text, and a line in it names them. */
function blockText(block: Record<string, unknown>): string {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "resource_link":
      return [`${name(block.name)} <${inALine(text(block.uri), 2000)}>`, kindIf(block.mimeType), inALine(text(block.description), 500)]
        .filter(Boolean)
        .join(" ");
    case "resource":
      return resource(record(block.resource));
    default:
      return `[${inALine(text(block.type), 40) || "something"}: not shown]`;
  }
}

const resource = ({ uri, text: inside }: Record<string, unknown>): string => `<${inALine(text(uri), 2000)}>\n${text(inside)}`;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const name = (value: unknown): string => inALine(text(value)) || "resource";
const kindIf = (mimeType: unknown): string => (typeof mimeType === "string" ? `(${inALine(mimeType, 100)})` : "");
