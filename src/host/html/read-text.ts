import { ToolError } from "../../core/error.ts";
import { decodeBody } from "./decode.ts";
import type { BodyKind } from "./kind.ts";

export interface BodySource {
  readonly kind: BodyKind;
  readonly charset: string | null;
  readonly url: string;
}
export interface PageText {
  readonly title: string | null;
  readonly text: string;
  /** A cap on elements or characters left something out. */
  readonly truncated?: true;
  /** The server sent nothing, or nothing but blanks. */
  readonly empty?: true;
}

/** What is text already is given as it is. */
export const readPlainText = (body: Uint8Array, source: BodySource): PageText => ({ title: null, text: decodeSource(body, source) });

export function decodeSource(body: Uint8Array, { charset, kind }: BodySource): string {
  const { text, encoding } = decodeBody(body, charset, kind);
  if (encoding === "replacement")
    throw new ToolError("permanent_failure", "The answer is written in an encoding that can hide text and that no browser reads any more.");
  return text;
}
