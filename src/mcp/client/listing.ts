import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { makeOnce } from "../../text/make-once.ts";
import { wireSize } from "./connection/wire-size.ts";

/** A list of a server's, as it came on the wire: nothing is left out of an entry, and nothing is believed. */
export interface Listing {
  readonly items: readonly unknown[];
  /** How long it may be believed, where the server said so. */
  readonly ttlMs?: number;
  /** The part that was not taken, and why. */
  readonly cut: string | null;
}

/** The kinds of lists a server has. */
export type ListKind = keyof typeof LISTS;

interface ListSpec {
  readonly method: string;
  /** The field of a page with its entries. */
  readonly field: string;
  readonly capability: "tools" | "prompts" | "resources";
  readonly most: number;
  readonly words: string;
}

const LISTS = {
  tools: { method: "tools/list", field: "tools", capability: "tools", most: 1000, words: "tools" },
  prompts: { method: "prompts/list", field: "prompts", capability: "prompts", most: 200, words: "prompts" },
  resources: { method: "resources/list", field: "resources", capability: "resources", most: 1000, words: "resources" },
  templates: {
    method: "resources/templates/list",
    field: "resourceTemplates",
    capability: "resources",
    most: 200,
    words: "resource templates",
  },
} as const satisfies Record<string, ListSpec>;

const MOST_BYTES = 10 * 1024 * 1024;
const MOST_PAGES = 100;

/** All pages. A server whose pages do not end is read up to a limit. */
export async function listOfServer(
  client: Client,
  kind: ListKind,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Listing> {
  const { method, field, capability, most, words } = LISTS[kind];
  if (!client.getServerCapabilities()?.[capability]) return { items: [], cut: null };
  const items: unknown[] = [];
  const seen = new Set<string>();
  let ttlMs: number | undefined;
  let size = 0;
  const done = (cut: string | null): Listing => ({ items, cut, ...(ttlMs !== undefined && { ttlMs }) });
  for (let cursor: string | undefined, pages = 0; pages < MOST_PAGES; pages++) {
    const page = await client.request({ method, params: cursor === undefined ? {} : { cursor } }, PAGE(), options);
    if (pages === 0) ttlMs = page.ttlMs;
    const entries = page[field];
    if (!Array.isArray(entries)) throw new Error(`its answer to ${method} is no list`);
    for (const entry of entries) {
      if (items.length >= most) return done(`it lists more than ${most} ${words}; the others were left out`);
      size += wireSize(entry, MOST_BYTES - size);
      if (size > MOST_BYTES) return done("its definitions are larger than 10 MB together; the others were left out");
      items.push(entry);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return done(null);
    if (seen.has(cursor)) return done("its list repeats itself, and was read once");
    seen.add(cursor);
  }
  return done(`its list has more than ${MOST_PAGES} pages; the others were left out`);
}

const PAGE = makeOnce(() =>
  z.looseObject({
    nextCursor: z.string().max(10_000).optional(),
    ttlMs: z.number().min(0).optional().catch(undefined),
  }),
);
