import type { ContentBlock } from "@agentclientprotocol/sdk";
import { boundedMiddle } from "../../text/visible.ts";
import { fenced } from "./fenced.ts";

/** A person's prompt as one text for the model, and the parts of it that cannot be sent. */
export interface Prompted {
  readonly text: string;
  /** The parts that are left out, and why; for the person. */
  readonly left: readonly string[];
  /** What the person wrote of it themselves, without files and links. */
  readonly words: string;
  /** It begins with a slash that the person typed: only that can be a command. */
  readonly typed: boolean;
}

/** A file that is sent along is cut to this; who needs more of it reads it. */
const LONGEST_RESOURCE = 200_000;
export const LONGEST_PROMPT = 1_000_000;
const MOST_BLOCKS = 1000;

export function promptOf(blocks: readonly ContentBlock[]): Prompted {
  const left: string[] = [];
  const parts = blocks.slice(0, MOST_BLOCKS).map((block) => textOf(block, (why) => left.push(why)));
  if (blocks.length > MOST_BLOCKS) left.push(`Only the first ${MOST_BLOCKS} of ${blocks.length} pieces are sent.`);
  const [first] = blocks;
  // In its own words: what follows may be a file, and its name anybody's.
  const typed = first?.type === "text" && first.text.trimStart().startsWith("/");
  const words = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { text: joined(parts), left: [...new Set(left)], words, typed };
}

interface Piece {
  readonly text: string;
  /** A link may stand in the middle of a sentence; two texts are two lines. */
  readonly as: "words" | "link" | "block";
}

function textOf(block: ContentBlock, leave: (why: string) => void): Piece {
  if (block.type === "text") return { text: block.text, as: "words" };
  if (block.type === "resource_link") return { text: linkText(block), as: "link" };
  if (block.type === "resource") {
    const { resource } = block;
    const uri = oneLine(resource.uri);
    if (!("text" in resource)) {
      leave(`${uri} is not text and is not sent. Say what to do with it, or give its path.`);
      return { text: `[${uri}: not text, left out]`, as: "block" };
    }
    return { text: `${uri}\n${fenced(boundedMiddle(resource.text, LONGEST_RESOURCE))}`, as: "block" };
  }
  const what = block.type === "image" ? "Images" : "Recordings";
  leave(`${what} are not sent to the model: Zeph works with text. Describe what is in it, or give a path to it.`);
  return { text: `[${block.type}: left out]`, as: "block" };
}

/** An editor mentions a file inside a sentence: `look at [a.ts](file:///work/a.ts)`. */
const linkText = ({ name, uri }: { readonly name: string; readonly uri: string }) => `[${oneLine(name)}](${oneLine(uri)})`;

const oneLine = (text: string) => boundedMiddle(text.replace(/\s+/g, " ").trim(), 4000);

const joined = (pieces: readonly Piece[]): string =>
  pieces
    .map(({ text, as }, n) => (n === 0 ? "" : between(pieces[n - 1]!.as, as)) + text)
    .join("")
    .trim();

function between(before: Piece["as"], as: Piece["as"]): string {
  if (before === "block" || as === "block") return "\n\n";
  return before === as ? "\n" : "";
}
