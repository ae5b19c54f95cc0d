/** Addresses a conversation has heard of. What the person named may be gone on from; what a tool returned is good for exactly that. */
export interface Grounding {
  said(text: string): void;
  returned(text: string): void;
  holds(url: string): boolean;
}

/** More than anybody reads; the oldest are forgotten first, and are then asked about. */
const MOST = 5000;
const MOST_TEXT = 1_000_000;

export function grounding(): Grounding {
  const named = bounded();
  const seen = bounded();
  return {
    said(text) {
      for (const url of addressesIn(text, WRITTEN)) named.add(url);
    },
    returned(text) {
      for (const url of addressesIn(text, LINKED)) seen.add(url);
    },
    holds(url) {
      const asked = plain(url);
      if (asked === null) return false;
      return seen.has(asked) || named.has(asked) || prefixes(asked).some((prefix) => named.has(prefix));
    },
  };
}

const MOST_ENDINGS = 4;
const LINKED = /https?:\/\/[^\s<>"'`\\^{}|]{1,2000}/gi;
/** People leave the scheme out. */
const WRITTEN =
  /(?:https?:\/\/)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,10}[a-z][a-z0-9-]{1,62}(?::\d{1,5})?(?:[/?#][^\s<>"'`\\^{}|]{0,2000})?/gi;

function* addressesIn(text: string, pattern: RegExp): Generator<string> {
  for (const [found] of text.slice(0, MOST_TEXT).matchAll(pattern)) {
    // What ends a sentence or closes a bracket may or may not belong to the address; every reading counts.
    for (let one = found, n = 0; n <= MOST_ENDINGS; one = one.slice(0, -1), n++) {
      const url = plain(/^https?:/i.test(one) ? one : `https://${one}`);
      if (url !== null) yield url;
      if (!/[.,;:!?)\]*_]$/.test(one)) break;
    }
  }
}

/** One spelling for each address; the part behind # stays with the reader. Written with http it means the same page. */
function plain(text: string): string | null {
  try {
    const url = new URL(text);
    if (url.protocol === "http:") url.protocol = "https:";
    url.hash = "";
    return url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

/** Every address this one goes on from: its folders up to the top of the host. */
function prefixes(href: string): string[] {
  const { origin, pathname } = new URL(href);
  const steps = pathname.split("/");
  return steps.flatMap((_, n) => {
    const path = steps.slice(0, n + 1).join("/");
    return [`${origin}${path}`, `${origin}${path}/`];
  });
}

function bounded() {
  const kept = new Set<string>();
  return {
    has: (url: string) => kept.has(url),
    add(url: string) {
      kept.delete(url);
      kept.add(url);
      if (kept.size > MOST) kept.delete(kept.values().next().value!);
    },
  };
}
