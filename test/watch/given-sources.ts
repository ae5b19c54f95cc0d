import type { WatchRequest } from "../../src/front/watch/watch-route.ts";
import type { WatchSources } from "../../src/front/watch/watch-sources.ts";

/** Breaks out of a text, of an attribute in either quotes, and of a style or script. */
export const HOSTILE = `"><i class="hostile" onx="1"></i>'><i class='hostile'></i><script>hostile()</script></style></pre></textarea>{{x}}\u202e\u0007`;

const never = (name: string) => () => {
  throw new Error(`${name} was not expected to be asked`);
};

/** Sources that hold what a test gives them, and are empty otherwise. */
export function givenSources(
  given: { readonly [Part in "rules" | "kept" | "conversations"]?: Partial<WatchSources[Part]> } = {},
): WatchSources {
  return {
    facts: async () => ({ workspace: "/home/ada/app", walls: "bubblewrap", autonomy: "supervised", policy: "off" }),
    rules: { gates: async () => [], tryRules: never("tryRules"), ...given.rules },
    kept: { list: async () => [], totals: async () => ({ texts: 0, chars: 0 }), text: async () => null, ...given.kept },
    conversations: { list: async () => [], get: async () => null, messages: async () => [], ...given.conversations },
    note: never("note"),
    redact: (text) => text,
    close: async () => {},
    // These belong to pages of their own.
    log: {} as WatchSources["log"],
    live: {} as WatchSources["live"],
  };
}

export const requestOf = (address: string, more: Partial<WatchRequest> = {}): WatchRequest => {
  const { pathname, searchParams } = new URL(address, "http://127.0.0.1");
  return {
    path: pathname,
    query: searchParams,
    words: [],
    form: new URLSearchParams(),
    rights: { answer: false },
    mark: "the-mark",
    person: "ada",
    now: Date.parse("2026-11-18T12:00:00Z"),
    signal: new AbortController().signal,
    ...more,
  };
};
