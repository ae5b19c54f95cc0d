import { createPace } from "../../text/pace.ts";

/** A part of a list of texts on its way between two threads: what stands in it, and how the texts lie in all parts together. */
export interface TextPiece {
  readonly text: string;
  /** How long each text is; in the first piece. */
  readonly lengths?: Uint32Array<ArrayBuffer>;
  readonly last: boolean;
}

/** So many characters are copied in about a millisecond. */
const MOST = 512 * 1024;

/** The texts one behind the other, cut into pieces of about the same size. */
export function* cutPieces(texts: readonly string[]): Generator<TextPiece> {
  // Not with `from`, which walks an iterator: ten times as long for a long list.
  let lengths: Uint32Array<ArrayBuffer> | undefined = new Uint32Array(texts.length);
  for (let n = 0; n < texts.length; n++) lengths[n] = texts[n]!.length;
  let parts: string[] = [];
  let size = 0;
  const piece = (last: boolean): TextPiece => {
    const text = parts.length === 1 ? parts[0]! : parts.join("");
    const made = { text, ...(lengths && { lengths }), last };
    lengths = undefined;
    parts = [];
    size = 0;
    return made;
  };
  for (const text of texts) {
    for (let from = 0; from < text.length; ) {
      const part = text.slice(from, from + MOST - size);
      parts.push(part);
      from += part.length;
      size += part.length;
      if (size === MOST) yield piece(false);
    }
  }
  yield piece(true);
}

/** The texts again. */
export async function joinPieces(pieces: readonly TextPiece[]): Promise<string[]> {
  const pace = createPace();
  const lengths = pieces[0]!.lengths!;
  const texts: string[] = [];
  let at = 0;
  let from = 0;
  for (const length of lengths) {
    const parts: string[] = [];
    for (let left = length; left > 0; ) {
      const piece = pieces[at]!.text;
      const part = piece.slice(from, from + left);
      parts.push(part);
      left -= part.length;
      from += part.length;
      if (from === piece.length) {
        at++;
        from = 0;
      }
    }
    texts.push(parts.length === 1 ? parts[0]! : parts.join(""));
    if (texts.length % 1000 === 0) await pace.step();
  }
  return texts;
}
