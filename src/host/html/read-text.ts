import { ToolError } from "../../core/error.ts";
import { decode } from "./decode.ts";
import type { Kind } from "./kind.ts";

export interface Source {
  readonly kind: Kind;
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
export const readText = (body: Uint8Array, source: Source): PageText => ({ title: null, text: decoded(body, source) });

export function decoded(body: Uint8Array, { charset, kind }: Source): string {
  const { text, encoding } = decode(body, charset, kind);
  if (encoding === "replacement")
    throw new ToolError("permanent_failure", "The answer is written in an encoding that can hide text and that no browser reads any more.");
  return text;
}
