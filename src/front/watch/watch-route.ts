import type { Html, HtmlValue } from "./html.ts";
import type { ShownTable } from "./tables.ts";
import type { WatchSources } from "./watch-sources.ts";

/** What whoever started `zeph watch` lets its reader do besides reading. */
export interface WatchRights {
  /** `--answer` */
  readonly answer: boolean;
}

/** A request that was let in: its reader is known, and what it posts came from a form of ours. */
export interface WatchRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** What stands in the address where the path of the route has a `*`. */
  readonly words: readonly string[];
  /** What was posted; empty otherwise. */
  readonly form: URLSearchParams;
  readonly rights: WatchRights;
  /** Every form that posts carries it: `formMark(request)`. */
  readonly mark: string;
  /** Who reads, as the audit log names them. */
  readonly person: string;
  readonly now: number;
  /** Aborts when the reader goes. */
  readonly signal: AbortSignal;
}

/** A page inside the frame that all pages have. */
export interface WatchPage {
  /** Default: the title of the route. */
  readonly title?: string;
  /** A sentence below the title. */
  readonly lead?: HtmlValue;
  readonly body: Html;
  /** Default: 200. */
  readonly status?: number;
  /** What `?format=csv` and `?format=jsonl` give out instead of the page. */
  readonly table?: ShownTable;
}

/** A whole page of its own, without the frame and without any script. Its style is allowed by its very text. */
export interface WatchDocument {
  readonly document: string;
  readonly style: string;
}

export type WatchReply = WatchPage | WatchDocument | { readonly goTo: string } | { readonly refused: string; readonly status: number };

/** One page, or one thing that a form does. Each is a file in `pages/` and a line in `routes.ts`. */
export interface WatchRoute {
  readonly method: "GET" | "POST";
  /** `/log/*`: a `*` is one part of the address. */
  readonly path: string;
  readonly title: string;
  /** The right without which it is refused. */
  readonly needs?: keyof WatchRights;
  render(sources: WatchSources, request: WatchRequest): Promise<WatchReply>;
}
