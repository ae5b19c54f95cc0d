import { ToolError } from "../../core/error.ts";
import type { ReadPage } from "../web/reader.ts";
import { decodeBody } from "./decode.ts";
import type { BodyKind } from "./kind.ts";

export interface BodySource {
  readonly kind: BodyKind;
  readonly charset: string | null;
  readonly url: string;
}
/** What is text already is given as it is. */
export const readPlainText = (body: Uint8Array, source: BodySource): ReadPage => ({ title: null, text: decodeSource(body, source) });

export function decodeSource(body: Uint8Array, { charset, kind }: BodySource): string {
  const { text, encoding } = decodeBody(body, charset, kind);
  if (encoding === "replacement")
    throw new ToolError("permanent_failure", "The answer is written in an encoding that can hide text and that no browser reads any more.");
  return text;
}
