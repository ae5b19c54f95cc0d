import type { ApprovedCall } from "../door.ts";
import type { CallContext } from "../tool.ts";

/** The web, behind walls of its own. The host enforces them on every hop; it never asks a tool whether to. */
export interface Web {
  /** The main content of a page as text a model can read. */
  page(permit: ApprovedCall, url: string, as: "markdown" | "text", ctx: CallContext): Promise<Page>;
  /** What a CSS selector finds in a page. */
  select(permit: ApprovedCall, url: string, query: Selection, ctx: CallContext): Promise<Selected>;
}

/** What is looked for in a page. */
export interface Selection {
  readonly select: string;
  /** The text of an element, its inner HTML, or one of its attributes. */
  readonly extract: "text" | "html" | { readonly attribute: string };
  readonly limit: number;
}

/** What came back from an address. */
export interface Fetched {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  /** As the server called it, without parameters: `text/html`. */
  readonly type: string;
  /** The byte cap cut the body. */
  readonly truncated: boolean;
  /** Given again because it had not changed, or was young enough. */
  readonly cached: boolean;
  /** There was no body at all. */
  readonly empty?: true;
}
/** A page of the web as text. */
export interface Page extends Fetched {
  readonly title: string | null;
  readonly text: string;
}
/** What a selector found in a page. */
export interface Selected extends Fetched {
  readonly items: readonly string[];
  /** More matched than were asked for. */
  readonly more: boolean;
  readonly title: string | null;
  /** How many elements the page has. */
  readonly elements: number;
}

/** One request to one server, as the audit log tells it. */
export interface Egress {
  readonly url: string;
  readonly host: string;
  /** The address that was dialled; absent when none was. */
  readonly address?: string;
  /** 0 is the first request, 1 the first redirect. */
  readonly hop: number;
  readonly status?: number;
  readonly bytes?: number;
  /** Why nothing was sent. */
  readonly blocked?: string;
  /** Why no whole answer came, though nothing held the request back. */
  readonly failed?: string;
  readonly durationMs: number;
}

/** DNS and sockets, for embedders and tests. They are asked only for what the walls let through. */
export interface Wires {
  lookup(hostname: string): Promise<readonly string[]>;
  dial(to: { readonly address: string; readonly port: number; readonly servername: string }): Promise<unknown>;
}
