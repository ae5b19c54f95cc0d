import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { Egress, Fetched, Web, Wires } from "../../core/ports/web.ts";
import type { CallContext } from "../../core/tool.ts";
import { startClock } from "./clock.ts";
import type { ScrapeConfig } from "./config.ts";
import type { PageAnswer } from "./exchange.ts";
import { type Arrival, type FollowOptions, type FollowRefusal, followRedirects } from "./follow.ts";
import { type CachedPage, createPageCache, type PageCacheConfig } from "./page-cache.ts";
import type { BodyInfo, HtmlReader } from "./reader.ts";
import { readUrl } from "./url.ts";
import { createTlsDial, lookupHost } from "./wires.ts";

export interface WebParts {
  readonly config: ScrapeConfig;
  readonly cache: PageCacheConfig;
  /** In place of the machine's DNS and sockets. */
  readonly wires?: Partial<Wires> | undefined;
  /** Told of every hop, refused ones too. When it fails, so does the call. */
  onEgress(egress: Egress, permit: ApprovedCall, ctx: CallContext): void | Promise<void>;
  /** Whether a page this call asked for may lead to another one. It is given the one spelling that would be sent. */
  readonly mayFollow?: ((permit: ApprovedCall, url: string, ctx: CallContext) => Promise<FollowRefusal | null>) | undefined;
  readonly reader: HtmlReader;
  /** Nothing may be silent for longer. */
  readonly idleMs?: number;
}

const IDLE_MS = 10_000;

/** The web from this machine. */
export function createLocalWeb({ config, cache, wires = {}, onEgress, mayFollow, reader, idleMs = IDLE_MS }: WebParts): Web {
  const pages = createPageCache(cache);
  const way: Pick<FollowOptions, "limits" | "lookup" | "dial"> = {
    limits: config,
    lookup: wires.lookup ? async (hostname) => wires.lookup!(hostname) : lookupHost,
    dial: wires.dial ? async (to) => wires.dial!(to) : createTlsDial(),
  };

  async function get(permit: ApprovedCall, url: string, ctx: CallContext): Promise<Got> {
    if (!permit.call.touches.some((touch) => touch.kind === "url" && touch.url === url))
      throw new ToolError("policy_blocked", "This call was judged with another URL. Call again with the one that is meant.");
    const first = readUrl(url, config);
    const key = "rule" in first ? null : first.url.href;
    const known = key === null ? null : pages.get(key);
    // Where a redirect led to once may be closed by now, or for this call.
    const mayGive = known?.isFresh && (known.page.url === key || !(await mayFollow?.(permit, known.page.url, ctx)));
    if (mayGive) return { page: known.page, cached: true };

    const clock = startClock(ctx.signal, { totalMs: config.timeout * 1000, idleMs });
    try {
      const arrival = await followRedirects(url, {
        ...way,
        clock,
        known: known?.page ?? null,
        ...(mayFollow && { mayFollow: (to: string) => mayFollow(permit, to, ctx) }),
        onEgress: (egress) => onEgress(egress, permit, ctx),
      });
      const page = arrival.unchanged ? { ...known!.page, ...rulesOf(arrival.answer, known!.page) } : pageOf(arrival);
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
  readonly page: CachedPage;
  readonly cached: boolean;
}

const fetched = ({ page: { url, status, type, truncated }, cached }: Got): Fetched => ({ url, status, type, truncated, cached });
const about = ({ url, type, charset, truncated }: CachedPage): BodyInfo => ({ url, type, charset, truncated });

function pageOf({ target, answer }: Arrival): CachedPage {
  const { bytes, truncated } = answer.body!;
  return {
    url: target.url.href,
    status: answer.status,
    ...contentType(answer),
    truncated,
    bytes,
    ...rulesOf(answer, { conditions: {}, mustAsk: false }),
  };
}

type Rules = Pick<CachedPage, "conditions" | "mustAsk">;

/** What the server says about keeping the page. A 304 need not repeat what was said before. */
function rulesOf({ headers }: PageAnswer, before: Rules): Rules {
  const { etag, "last-modified": modified, "cache-control": control, vary } = headers;
  const conditions = {
    ...before.conditions,
    ...(isSendable(etag) && { "if-none-match": etag }),
    ...(isSendable(modified) && { "if-modified-since": modified }),
  };
  const isSaid = ASK_ALWAYS.test(String(control ?? "")) || /(^|,)\s*\*\s*(,|$)/.test(String(vary ?? ""));
  return { conditions, mustAsk: isSaid || (control === undefined && before.mustAsk) };
}

const ASK_ALWAYS = /(^|[,\s])(no-cache\b|must-revalidate\b|max-age\s*=\s*"?0+(?!\d))/i;

const forbidsKeeping = ({ status, headers }: PageAnswer) =>
  (status !== 200 && status !== 304) || /(^|[,\s])no-store\b/i.test(String(headers["cache-control"] ?? ""));

/** Sent back as it came, so only if it is small and plain. */
const isSendable = (value: unknown): value is string => typeof value === "string" && /^[\x20-\x7e]{1,256}$/.test(value);

/** A server can call a page anything; what does not look like a type is none. */
function contentType({ headers }: PageAnswer): { type: string; charset: string | null } {
  const [named = "", ...parameters] = String(headers["content-type"] ?? "").split(";");
  const type = named.trim().toLowerCase();
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*["']?([\w.:+-]{1,40})/i.exec(parameter)?.[1]).find(Boolean);
  return { type: /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type) ? type : "", charset: charset ?? null };
}
