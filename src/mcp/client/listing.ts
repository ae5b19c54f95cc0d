import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { makeOnce } from "../../text/make-once.ts";
import { wireSize } from "./connection/wire-size.ts";

/** The list of a server's tools, as it came on the wire: nothing is left out of a definition, and nothing is believed. */
export interface Listing {
  readonly tools: readonly unknown[];
  /** How long it may be believed, where the server said so. */
  readonly ttlMs?: number;
  /** The part that was not taken, and why. */
  readonly cut: string | null;
}

export const MOST_TOOLS = 1000;
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_PAGES = 100;

/** All pages. A server whose pages do not end is read up to a limit. */
export async function listServerTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Listing> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], cut: null };
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let ttlMs: number | undefined;
  let size = 0;
  const done = (cut: string | null): Listing => ({ tools, cut, ...(ttlMs !== undefined && { ttlMs }) });
  for (let cursor: string | undefined, pages = 0; pages < MOST_PAGES; pages++) {
    const page = await client.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, PAGE(), options);
    if (pages === 0) ttlMs = page.ttlMs;
    for (const tool of page.tools) {
      if (tools.length >= MOST_TOOLS) return done(`it lists more than ${MOST_TOOLS} tools; the others were left out`);
      size += wireSize(tool, MOST_BYTES - size);
      if (size > MOST_BYTES) return done("its definitions are larger than 10 MB together; the others were left out");
      tools.push(tool);
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
    tools: z.array(z.unknown()),
    nextCursor: z.string().max(10_000).optional(),
    ttlMs: z.number().min(0).optional().catch(undefined),
  }),
);
