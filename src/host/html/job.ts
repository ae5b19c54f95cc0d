import type { Category } from "../../core/error.ts";
import type { Selection } from "../../core/ports/web.ts";
import type { BodySource, PageText } from "./read-text.ts";
import type { SelectedItems } from "./select.ts";

/** What the reading thread is asked, and what it answers. */
export interface ReadJob {
  readonly body: Uint8Array;
  readonly source: BodySource;
  readonly work: { readonly kind: "page"; readonly as: "markdown" | "text" } | { readonly kind: "select"; readonly query: Selection };
}
export type ReadAnswer =
  | { readonly value: PageText | SelectedItems }
  | { readonly error: { readonly category: Category; readonly message: string } };
