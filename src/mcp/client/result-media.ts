import {
  base64Bytes,
  checkMedia,
  type Media,
  MOST_MEDIA,
  MOST_MEDIA_BYTES,
  mediaText,
  mediaTypeOf,
  sizeText,
} from "../../core/media/media.ts";
import { record } from "../../text/json.ts";
import { plural } from "../../text/words.ts";
import { inALine } from "./trust/hidden-text.ts";

/** Images and recordings of one answer, as they are met. */
export interface ResultMedia {
  /** What stands in the text for a block that is no text; null for a block that holds no bytes. */
  take(block: Record<string, unknown>): string | null;
  /** What is handed on, in order. */
  all(): readonly Media[];
  /** The last line of the text: what was too much to be named one by one. */
  rest(): string;
}

/** So many that are not handed on are named one by one. */
const MOST_NAMED = 20;

/** Everything is counted before it is decoded: a thousand images cost what the first few cost. `unsent`: why none is handed on. */
export function gatherMedia(unsent?: string): ResultMedia {
  const media: Media[] = [];
  let bytes = 0;
  let named = 0;
  let unnamed = 0;
  const left = (text: string): string => {
    if (++named <= MOST_NAMED) return text;
    unnamed++;
    return "";
  };
  const add = (what: string, data: string, said: string): string => {
    const about = `${what}: ${inALine(said, 100) || "unknown type"}, ${sizeText(base64Bytes(data))}`;
    if (unsent !== undefined) return left(`[${about}, not sent: ${unsent}]`);
    if (media.length >= MOST_MEDIA) return left(`[${about}, not sent: ${MOST_MEDIA} are the most of one result]`);
    if (bytes + base64Bytes(data) > MOST_MEDIA_BYTES)
      return left(`[${about}, not sent: ${sizeText(MOST_MEDIA_BYTES)} are the most of one result]`);
    const checked = checkMedia(data, said);
    if ("refused" in checked) return left(`[${about}, not sent: it ${checked.refused}]`);
    media.push(checked);
    bytes += checked.bytes;
    return `[${what} ${media.length}: ${mediaText(checked)}]`;
  };
  return {
    take(block) {
      if (block.type === "image" || block.type === "audio") return add(block.type, text(block.data), text(block.mimeType));
      if (block.type !== "resource") return null;
      const { uri, mimeType, text: inside, blob } = record(block.resource);
      if (typeof inside === "string") return null;
      const where = `resource <${inALine(text(uri), 2000)}>`;
      if (mediaTypeOf(text(mimeType)) !== null) return add(where, text(blob), text(mimeType));
      return left(`[${where}: ${inALine(text(mimeType), 100) || "unknown type"}, ${sizeText(base64Bytes(text(blob)))}, not shown]`);
    },
    all: () => media,
    rest: () => (unnamed === 0 ? "" : `[${plural(unnamed, "more block")} with bytes, not sent]`),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
