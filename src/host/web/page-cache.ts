/** A page as it came. Its bytes are never handed out: whoever reads them may take them away. */
export interface CachedPage {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly charset: string | null;
  readonly truncated: boolean;
  readonly bytes: Uint8Array;
  /** How to ask whether it changed; empty when the server gave nothing to ask with. */
  readonly conditions: Readonly<Record<string, string>>;
  /** The server wants to be asked every time. */
  readonly mustAsk: boolean;
}

export interface PageCacheConfig {
  readonly enabled: boolean;
  /** 0: a page stays good for ever. */
  readonly ttlSecs: number;
}

export interface PageCache {
  get(url: string): { readonly page: CachedPage; readonly isFresh: boolean } | null;
  put(url: string, page: CachedPage): void;
  drop(url: string): void;
}

const LIMITS = { bytes: 16 * 1024 * 1024, pages: 64 };

/** The pages asked for last, in memory, by the URL they were asked for with. */
export function createPageCache({ enabled, ttlSecs }: PageCacheConfig, now: () => number = () => Date.now(), limits = LIMITS): PageCache {
  const pages = new Map<string, { page: CachedPage; at: number }>();
  let held = 0;
  const drop = (url: string) => {
    held -= pages.get(url)?.page.bytes.length ?? 0;
    pages.delete(url);
  };
  return {
    drop,
    get(url) {
      const entry = pages.get(url);
      if (!entry) return null;
      // The one used last is thrown out last.
      pages.delete(url);
      pages.set(url, entry);
      const { page, at } = entry;
      return { page, isFresh: !page.mustAsk && (ttlSecs === 0 || now() - at < ttlSecs * 1000) };
    },
    put(url, page) {
      drop(url);
      if (!enabled || page.bytes.length > limits.bytes / 4) return;
      pages.set(url, { page, at: now() });
      held += page.bytes.length;
      for (const oldest of pages.keys()) {
        if (held <= limits.bytes && pages.size <= limits.pages) return;
        drop(oldest);
      }
    },
  };
}
