import { type OpenWatchPage, openWatchPage, type WatchPageParts } from "../../front/watch/server/open-watch-page.ts";
import { refusePeer } from "./refuse-peer.ts";

/** The pages of `zeph watch` over their sources, which end with them. `log` is the audit log, by which agents are known. */
export async function startWatchPage({
  log,
  ...parts
}: Omit<WatchPageParts, "refusePeer"> & { readonly log: string }): Promise<OpenWatchPage> {
  const { sources } = parts;
  try {
    const page = await openWatchPage({ ...parts, refusePeer: (ends) => refusePeer(ends, log) });
    return {
      ...page,
      async close() {
        await page.close();
        await sources.close();
      },
    };
  } catch (error) {
    await sources.close();
    throw error;
  }
}

export type WatchPageSources = WatchPageParts["sources"];
