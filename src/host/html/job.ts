import type { Category } from "../../core/error.ts";
import type { Selection } from "../../core/ports/web.ts";
import type { PageText, Source } from "./read-text.ts";
import type { SelectedItems } from "./select.ts";

/** What the reading thread is asked, and what it answers. */
export interface Job {
  readonly body: Uint8Array;
  readonly source: Source;
  readonly work: { readonly kind: "page"; readonly as: "markdown" | "text" } | { readonly kind: "select"; readonly query: Selection };
}
export type Answer =
  | { readonly value: PageText | SelectedItems }
  | { readonly error: { readonly category: Category; readonly message: string } };
