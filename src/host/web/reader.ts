import type { Fetched, Page, Selected, Selection } from "../../core/ports/web.ts";

/** What a server said about a body, and where the body was found in the end: relative links start there. */
export interface BodyInfo {
  /** Without parameters, in lower case: `text/html`. Empty when the server named none. */
  readonly type: string;
  /** The charset parameter of the content type, as sent. */
  readonly charset: string | null;
  readonly url: string;
  /** There was more of it than is here. */
  readonly truncated?: boolean;
}

/** Makes text of bodies. Bodies come from anywhere, so it works where it can be stopped; it throws `ToolError` for what is no text. A body is the reader's own. */
export interface HtmlReader {
  page(body: Uint8Array, about: BodyInfo, as: "markdown" | "text", signal: AbortSignal): Promise<ReadPage>;
  select(body: Uint8Array, about: BodyInfo, query: Selection, signal: AbortSignal): Promise<ReadItems>;
  close(): Promise<void>;
}

interface ReadMarks {
  /** A cap on elements or characters left something out. */
  readonly truncated?: true;
  /** The server sent nothing, or nothing but blanks. */
  readonly empty?: true;
}
export type ReadPage = Omit<Page, keyof Fetched> & ReadMarks;
export type ReadItems = Omit<Selected, keyof Fetched> & ReadMarks;
