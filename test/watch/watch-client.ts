import { type IncomingHttpHeaders, type IncomingMessage, request as send } from "node:http";
import { onTestFinished } from "vitest";
import { type OpenWatchPage, openWatchPage, type WatchPageParts } from "../../src/front/watch/server/open-watch-page.ts";
import { createMemorySources, type MemorySources } from "./memory-sources.ts";

export interface WatchAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  /** Null leaves a header out that is sent otherwise. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string;
}

/** A page with a reader on a real socket. Requests say what a browser says of a page of ours, unless a test says otherwise. */
export interface WatchClient {
  readonly page: OpenWatchPage;
  readonly sources: MemorySources;
  readonly name: string;
  readonly cookieName: string;
  ask(path: string, sent?: Sent): Promise<WatchAnswer>;
  /** What is left open: events. */
  open(path: string, sent?: Sent): Promise<IncomingMessage>;
  post(path: string, form: Readonly<Record<string, string>>, sent?: Sent): Promise<WatchAnswer>;
  /** Comes in with a new link; requests carry the cookie from then on. */
  enter(): Promise<void>;
  /** The form mark of this reader, as a page shows it. */
  mark(): Promise<string>;
}

export const codeOf = (link: string): string => new URLSearchParams(new URL(link).hash.slice(1)).get("t")!;

export async function openClient(parts: Partial<WatchPageParts> & { readonly sources?: MemorySources } = {}): Promise<WatchClient> {
  const sources = parts.sources ?? createMemorySources();
  const page = await openWatchPage({
    rights: { answer: true },
    port: 0,
    person: "maria",
    refusePeer: () => null,
    ...parts,
    sources,
  });
  onTestFinished(() => page.close());
  const { hostname, port, host } = new URL(page.origin);
  let cookie: string | null = null;

  const open = (path: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<IncomingMessage> => {
    const all = { host, ...(cookie !== null && { cookie }), ...headers };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<string, string | string[]>;
    return new Promise((resolve, reject) => {
      const asked = send({ hostname, port, path, method, headers: given, agent: false, setHost: false }, resolve);
      asked.on("error", reject);
      asked.end(body);
    });
  };
  const ask = async (path: string, sent?: Sent): Promise<WatchAnswer> => {
    const answer = await open(path, sent);
    let text = "";
    for await (const piece of answer.setEncoding("utf8")) text += piece;
    return { status: answer.statusCode!, headers: answer.headers, text };
  };
  const post = (path: string, form: Readonly<Record<string, string>>, sent: Sent = {}) =>
    ask(path, {
      ...sent,
      method: "POST",
      headers: { origin: page.origin, "content-type": "application/x-www-form-urlencoded", ...sent.headers },
      body: new URLSearchParams(form).toString(),
    });
  return {
    page,
    sources,
    name: host,
    cookieName: `zeph-${port}`,
    ask,
    open,
    post,
    async enter() {
      const entered = await post("/enter", { token: codeOf(page.link()) });
      cookie = entered.headers["set-cookie"]![0]!.split(";")[0]!;
    },
    async mark() {
      const { text } = await ask("/log");
      return /name="mark" value="([\w-]+)"/.exec(text)![1]!;
    },
  };
}
