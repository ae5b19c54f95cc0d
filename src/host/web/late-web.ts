import type { ApprovedCall } from "../../core/door.ts";
import type { Refusal } from "../../core/ports/facts.ts";
import type { Egress, Web, Wires } from "../../core/ports/web.ts";
import type { CallContext } from "../../core/tool.ts";
import type { ScrapeConfig } from "./config.ts";
import type { PageCacheConfig } from "./page-cache.ts";

export interface LateWebOptions {
  readonly config: ScrapeConfig;
  readonly cache: PageCacheConfig;
  /** In place of this machine's DNS and sockets. */
  readonly wires: Partial<Wires> | undefined;
  onEgress(egress: Egress, permit: ApprovedCall, ctx: CallContext): void;
  /** Why a call that was let in may not be sent on to this address; null when it may. */
  mayFollow(permit: ApprovedCall, url: string, ctx: CallContext): Promise<Refusal | null>;
}

/** Nothing of the web is read before the first page is asked for. */
export function openLateWeb({ config, cache, wires, onEgress, mayFollow }: LateWebOptions): { readonly host: Web; close(): Promise<void> } {
  let opening: Promise<{ web: Web; close(): Promise<void> }> | undefined;
  const open = () => {
    opening ??= (async () => {
      const [{ createLocalWeb }, { openHtmlReader }] = await Promise.all([import("./web.ts"), import("../html/reader.ts")]);
      const reader = openHtmlReader();
      return { web: createLocalWeb({ config, cache, wires, onEgress, mayFollow, reader }), close: reader.close };
    })();
    return opening;
  };
  return {
    host: {
      page: async (...given) => (await open()).web.page(...given),
      select: async (...given) => (await open()).web.select(...given),
    },
    close: async () => (await opening)?.close(),
  };
}
