import type { Category } from "../../core/error.ts";
import type { Selection } from "../../core/ports/web.ts";
import type { ReadItems, ReadPage } from "../web/reader.ts";
import type { BodySource } from "./read-text.ts";

/** What the reading thread is asked, and what it answers. */
export interface ReadJob {
  readonly body: Uint8Array;
  readonly source: BodySource;
  readonly work: { readonly kind: "page"; readonly as: "markdown" | "text" } | { readonly kind: "select"; readonly query: Selection };
}
export type ReadAnswer =
  | { readonly value: ReadPage | ReadItems }
  | { readonly error: { readonly category: Category; readonly message: string } };
