import { grouped } from "../text/words.ts";
import { marker, type Omitted, omission } from "./marker.ts";
import type { StreamSizes } from "./ports/shell.ts";
import type { ToolOutput } from "./tool.ts";

/**
 * An answer inside the inner ring: what is shown, what is left out and what Zeph says about both, as data. Its text is made once, where the ring
 * ends, so no layer has to find its way in another layer's text.
 */
export interface Draft<Raw = unknown> extends Omit<ToolOutput<Raw>, "text"> {
  /** In the order in which a model reads them. */
  readonly parts: readonly DraftPart[];
  /** The tool keeps its answers itself, by rules of its own: whether this one comes from there. */
  readonly ownCache?: "hit" | "miss";
  /** How many bytes a command printed, for `streams`. */
  readonly sizes?: StreamSizes;
}

/** One part of an answer: a text, a note of Zeph's, or what was left out. */
export type DraftPart =
  /** The words of a tool, or what is shown of what a command printed. */
  | { readonly kind: "text"; readonly text: string }
  /** What a command printed, as it came. Only the filter shortens it. */
  | { readonly kind: "printed"; readonly text: string; readonly command: string }
  /** One line about how it ended: an exit code, what was undone, a warning. */
  | { readonly kind: "note"; readonly text: string }
  /** Lines that are not shown, counted. `whole` is the text they are missing from, redacted, until it is stored under the handle. */
  | (Omitted & { readonly kind: "omitted"; readonly handle: number; readonly nonce: string; readonly whole?: string })
  /** The middle of a text too long to show, counted. */
  | { readonly kind: "cut"; readonly characters: number; readonly lines: number; readonly kept: Keeping; readonly nonce: string }
  /** A list too long to be read with the answer, until it is stored; `says` stands in its place. */
  | { readonly kind: "list"; readonly text: string; readonly says: string };

/** Under which id a text is stored, and whether all of it is; or why it is not. */
export type Keeping = { readonly id: string; readonly whole: boolean } | { readonly id: null; readonly why: string };

/** What a tool returns: a text, or a draft where parts of the answer are not the tool's own words. */
export type ToolAnswer<Raw = unknown> = ToolOutput<Raw> | Draft<Raw>;

export function draftOf(answer: ToolAnswer): Draft {
  if ("parts" in answer) return answer;
  const { text, ...rest } = answer;
  return { parts: [{ kind: "text", text }], ...rest };
}

/** What leaves the inner ring: the draft with its text, and nothing that was meant for a layer. */
export function outputOf(answer: ToolAnswer): ToolOutput {
  const { parts, ownCache: _ownCache, sizes: _sizes, ...rest } = draftOf(answer);
  return { text: textOf(parts), ...rest };
}

/** What a model reads. */
export const textOf = (parts: readonly DraftPart[]): string =>
  parts.length === 1
    ? textOfPart(parts[0]!)
    : parts
        .map(textOfPart)
        .filter((text) => text !== "")
        .join("\n");

export function textOfPart(part: DraftPart): string {
  if (part.kind === "omitted") return omission(part);
  if (part.kind === "cut") return marker(part.nonce, `${cutCounts(part)}${cutAdvice(part.kept)}`);
  return part.kind === "list" ? `${part.says}:\n${part.text}` : part.text;
}

const cutCounts = ({ characters, lines }: { readonly characters: number; readonly lines: number }): string =>
  `${grouped(characters)} characters${lines > 1 ? ` in ${grouped(lines)} lines` : ""} left out`;

function cutAdvice(kept: Keeping): string {
  if (kept.id === null) return ` and not kept: ${kept.why}`;
  return `; read_overflow shows ${kept.whole ? "all of it" : "what is kept of it, the middle is not"}: overflow:${kept.id}`;
}

/** A line more about an answer. Lists stay behind it. */
export function withNote<D extends Draft>(draft: D, text: string): D {
  const isList = ({ kind }: DraftPart) => kind === "list";
  const shown = draft.parts.filter((part) => !isList(part));
  return { ...draft, parts: [...shown, { kind: "note", text }, ...draft.parts.filter(isList)] };
}
