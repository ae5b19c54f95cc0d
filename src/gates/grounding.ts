/** Addresses a conversation has heard of. What the person named may be gone on from; what a tool returned is good for exactly that. */
export interface Grounding {
  said(text: string): void;
  /** `asked` is what the call was given: a tool that repeats it has returned nothing. One that `remembers` may repeat what any earlier call was given. */
  returned(text: string, asked?: string, how?: "remembers"): void;
  /** What a call was given whose result says nothing: the model may have worded all of it. */
  asked(text: string): void;
  holds(url: string): boolean;
}

/** More than anybody reads; the oldest are forgotten first, and are then asked about. */
const MOST = 5000;
const MOST_TEXT = 1_000_000;

export function createGroundingGate(): Grounding {
  const named = bounded();
  const seen = bounded();
  const worded = bounded();
  return {
    said(text) {
      for (const url of addressesIn(text, WRITTEN)) named.add(url);
    },
    returned(text, asked = "", how) {
      const own = new Set(addressesIn(asked, LINKED));
      for (const url of addressesIn(text, LINKED)) if (!own.has(url) && !(how && worded.has(url))) seen.add(url);
      for (const url of own) worded.add(url);
    },
    asked(text) {
      for (const url of addressesIn(text, LINKED)) worded.add(url);
    },
    holds(url) {
      const asked = plain(url);
      if (asked === null) return false;
      if (seen.has(asked) || named.has(asked)) return true;
      // Going on from what was named is one thing, carrying something along in a query another.
      return !asked.includes("?") && prefixes(asked).some((prefix) => named.has(prefix));
    },
  };
}

const MOST_ENDINGS = 4;
const LINKED = /https?:\/\/[^\s<>"'`\\^{}|]{1,2000}/gi;
/** People leave the scheme out. What stands behind an @ is a mailbox, and what stands before a bracket is code. */
const WRITTEN =
  /(?<![@\w./\\-])(?:https?:\/\/)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,10}[a-z][a-z0-9-]{1,62}(?![\w(])(?::\d{1,5})?(?:[/?#][^\s<>"'`\\^{}|]{0,2000})?/gi;
/** Files are named like hosts. These endings are domains too, but a person who means the domain can write https:// before it. */
const FILE =
  /^[^/?#]*\.(?:md|rs|sh|py|js|ts|tsx|jsx|mjs|cjs|json|txt|html?|css|go|cc|cpp|java|rb|php|ya?ml|toml|lock|log|csv|xml|pdf|zip|tar|gz|sql|pl|ps|so|app|doc|cfg|conf|ini|env|svg|png|jpg|mod|sum|db|bin|out)$/i;

function* addressesIn(text: string, pattern: RegExp): Generator<string> {
  for (const [found] of text.slice(0, MOST_TEXT).matchAll(pattern)) {
    if (!/^https?:/i.test(found) && FILE.test(found)) continue;
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
