import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Egress, Fetched, Web, Wires } from "../../core/web.ts";
import { startClock } from "./clock.ts";
import type { ScrapeConfig } from "./config.ts";
import type { Answer } from "./exchange.ts";
import { type Arrival, follow, type Way } from "./hops.ts";
import { type Kept, type PageCacheConfig, pageCache } from "./pages.ts";
import type { BodyInfo, HtmlReader } from "./reader.ts";
import { readUrl } from "./url.ts";
import { lookup, tlsDial } from "./wires.ts";

export interface WebParts {
  readonly config: ScrapeConfig;
  readonly cache: PageCacheConfig;
  /** In place of the machine's DNS and sockets. */
  readonly wires?: Partial<Wires> | undefined;
  /** Told of every hop, refused ones too. When it fails, so does the call. */
  onEgress(egress: Egress, permit: ApprovedCall, ctx: CallContext): void | Promise<void>;
  readonly reader: HtmlReader;
  /** Nothing may be silent for longer. */
  readonly idleMs?: number;
}

const IDLE_MS = 10_000;

/** The web from this machine. */
export function localWeb({ config, cache, wires = {}, onEgress, reader, idleMs = IDLE_MS }: WebParts): Web {
  const pages = pageCache(cache);
  const way: Pick<Way, "limits" | "lookup" | "dial"> = {
    limits: config,
    lookup: wires.lookup ? async (hostname) => wires.lookup!(hostname) : lookup,
    dial: wires.dial ? async (to) => wires.dial!(to) : tlsDial(),
  };

  async function get(permit: ApprovedCall, url: string, ctx: CallContext): Promise<Got> {
    if (!permit.call.touches.some((touch) => touch.kind === "url" && touch.url === url))
      throw new ToolError("policy_blocked", "This call was judged with another URL. Call again with the one that is meant.");
    const first = readUrl(url, config);
    const key = "rule" in first ? null : first.url.href;
    const known = key === null ? null : pages.get(key);
    if (known?.isFresh) return { page: known.page, cached: true };

    const clock = startClock(ctx.signal, { totalMs: config.timeout * 1000, idleMs });
    try {
      const arrival = await follow(url, { ...way, clock, known: known?.page ?? null, onEgress: (egress) => onEgress(egress, permit, ctx) });
      const page = arrival.unchanged ? { ...known!.page, ...rulesOf(arrival.answer, known!.page.conditions) } : pageOf(arrival);
      if (forbidsKeeping(arrival.answer)) pages.drop(key!);
      else pages.put(key!, page);
      return { page, cached: arrival.unchanged };
    } finally {
      clock.stop();
    }
  }

  return {
    async page(permit, url, as, ctx) {
      const got = await get(permit, url, ctx);
      return { ...fetched(got), ...(await reader.page(got.page.bytes.slice(), about(got.page), as, ctx.signal)) };
    },
    async select(permit, url, query, ctx) {
      const got = await get(permit, url, ctx);
      return { ...fetched(got), ...(await reader.select(got.page.bytes.slice(), about(got.page), query, ctx.signal)) };
    },
  };
}

interface Got {
  readonly page: Kept;
  readonly cached: boolean;
}

const fetched = ({ page: { url, status, type, truncated }, cached }: Got): Fetched => ({ url, status, type, truncated, cached });
const about = ({ url, type, charset, truncated }: Kept): BodyInfo => ({ url, type, charset, truncated });

function pageOf({ target, answer }: Arrival): Kept {
  const { bytes, truncated } = answer.body!;
  return { url: target.url.href, status: answer.status, ...contentType(answer), truncated, bytes, ...rulesOf(answer, {}) };
}

/** What the server says about keeping the page. A 304 need not repeat how to ask. */
function rulesOf({ headers }: Answer, before: Kept["conditions"]): Pick<Kept, "conditions" | "mustAsk"> {
  const { etag, "last-modified": modified } = headers;
  const conditions = {
    ...before,
    ...(isSendable(etag) && { "if-none-match": etag }),
    ...(isSendable(modified) && { "if-modified-since": modified }),
  };
  return { conditions, mustAsk: /(^|[,\s])no-cache\b/i.test(String(headers["cache-control"] ?? "")) };
}

const forbidsKeeping = ({ status, headers }: Answer) =>
  (status !== 200 && status !== 304) || /(^|[,\s])no-store\b/i.test(String(headers["cache-control"] ?? ""));

/** Sent back as it came, so only if it is small and plain. */
const isSendable = (value: unknown): value is string => typeof value === "string" && /^[\x20-\x7e]{1,256}$/.test(value);

/** A server can call a page anything; what does not look like a type is none. */
function contentType({ headers }: Answer): { type: string; charset: string | null } {
  const [named = "", ...parameters] = String(headers["content-type"] ?? "").split(";");
  const type = named.trim().toLowerCase();
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*["']?([\w.:+-]{1,40})/i.exec(parameter)?.[1]).find(Boolean);
  return { type: /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type) ? type : "", charset: charset ?? null };
}
