import { createHash } from "node:crypto";
import { load } from "cheerio";
import { describe, expect, it } from "vitest";
import { findPage } from "../../src/front/watch/find-page.ts";
import type { SessionReport } from "../../src/front/watch/report/session-report.ts";
import { WATCH_ROUTES } from "../../src/front/watch/routes.ts";
import type { WatchPage, WatchReply, WatchRequest } from "../../src/front/watch/watch-route.ts";
import type { WatchSources } from "../../src/front/watch/watch-sources.ts";
import { givenSources, HOSTILE, requestOf } from "./given-sources.ts";
import { createMemorySources } from "./memory-sources.ts";
import { openClient } from "./watch-client.ts";

/** Asks for an address as the server would, without what the server refuses. */
async function ask(sources: WatchSources, method: string, address: string, more: Partial<WatchRequest> = {}): Promise<WatchReply> {
  const request = requestOf(address, more);
  const found = findPage(WATCH_ROUTES, method, request.path);
  if (!("route" in found)) throw new Error(found.refused);
  return found.route.render(sources, { ...request, words: found.words });
}
async function pageAt(sources: WatchSources, address: string, more: Partial<WatchRequest> = {}, method = "GET"): Promise<WatchPage> {
  const reply = await ask(sources, method, address, more);
  if (!("body" in reply)) throw new Error(`no page: ${JSON.stringify(reply)}`);
  return reply;
}
const markupOf = ({ lead, body }: WatchPage) => load(`${String(lead ?? "")}${body}`);
const textOf = (page: WatchPage) => markupOf(page)("body, :root").text();

const conversation = {
  id: HOSTILE,
  workspace: HOSTILE,
  title: HOSTILE,
  createdAt: 1,
  updatedAt: 2,
  length: 4,
  windowStart: 1,
  elidedUntil: 2,
  counted: { tokens: 0, position: 0 },
  seen: { untrusted: true },
};
const hostile = givenSources({
  rules: {
    gates: async () => [{ gate: HOSTILE, state: HOSTILE, asked: 1, denied: 2 }],
    tryRules: async (toml) =>
      toml.includes("wrong")
        ? { problem: `line 1: ${HOSTILE}` }
        : {
            calls: 5,
            same: 3,
            notComparable: { [HOSTILE]: 1 },
            changed: [
              {
                callId: HOSTILE,
                tool: HOSTILE,
                args: { command: HOSTILE },
                times: 1,
                was: HOSTILE,
                would: "deny",
                gate: HOSTILE,
                rule: HOSTILE,
              },
            ],
            ms: 12,
          },
  },
  kept: {
    list: async () => [{ id: HOSTILE, handle: null, chars: 5, createdAt: 1, callId: HOSTILE, conversation: HOSTILE }],
    totals: async () => ({ texts: 1, chars: 5 }),
    text: async (id) => ({
      entry: { id, handle: null, chars: 5, createdAt: 1, callId: HOSTILE, conversation: HOSTILE },
      text: `a\n${HOSTILE}\nb`,
    }),
  },
  conversations: {
    list: async () => [conversation],
    get: async () => conversation,
    messages: async () => [
      { position: 1, message: { role: "user", text: HOSTILE, images: [{ mediaType: "image/png", data: "AAAA" }] } },
      {
        position: 2,
        message: {
          role: "assistant",
          model: HOSTILE,
          parts: [
            { type: "thinking", text: HOSTILE },
            { type: "text", text: HOSTILE },
            { type: "request", id: "1", callId: HOSTILE, name: HOSTILE, args: { path: HOSTILE } },
          ],
        },
      },
      { position: 3, message: { role: "tool", id: "1", text: HOSTILE, failed: true } },
      {
        position: 4,
        message: {
          role: "tool",
          id: "none",
          text: HOSTILE,
          media: [{ kind: "image", mediaType: "image/png", data: "AAAA", bytes: 34_000, sha256: "", width: 640, height: 480 }],
        },
      },
    ],
  },
});
const id = encodeURIComponent(HOSTILE);

describe("a hostile text", () => {
  it.each([
    ["/rules", "GET"],
    ["/rules", "POST"],
    [`/kept?q=${id}`, "GET"],
    [`/kept/${id}?q=${encodeURIComponent("<i")}`, "GET"],
    [`/conversations?q=${id}`, "GET"],
    [`/conversations/${id}`, "GET"],
  ])("becomes no markup, and is shown: %s %s", async (address, method) => {
    for (const toml of method === "POST" ? [HOSTILE, `${HOSTILE} wrong`] : [""]) {
      const page = await pageAt(hostile, address, { form: new URLSearchParams({ toml }) }, method);
      const $ = markupOf(page);
      expect($("i.hostile, script, [onx], style").length).toBe(0);
      for (const one of [String(page.title ?? ""), $.html()]) expect(one.includes("\u202e") && one !== page.title).toBe(false);
      const shown = $.root().text().replaceAll("\n", " ");
      expect(shown).toContain(HOSTILE.slice(0, 8));
      // Quotes of our own attributes are never closed by it.
      for (const element of $("[href]").toArray()) expect(/^(?:\/|#)/.test($(element).attr("href")!)).toBe(true);
    }
  });

  it("stands beside words about an image, and never beside its bytes", async () => {
    const shown = markupOf(await pageAt(hostile, `/conversations/${id}`))
      .root()
      .text();
    expect(shown).toContain("image/png, 640 x 480, 34 kB is stored with it, and not shown here.");
    expect(shown).not.toContain("AAAA");
  });

  it("stays one cell of an export", async () => {
    for (const address of ["/conversations", "/kept", "/rules"]) {
      const { table } = await pageAt(hostile, `${address}?format=jsonl`);
      const lines = table!.jsonl().trimEnd().split("\n");
      expect(lines).toHaveLength(1);
      expect(Object.values(JSON.parse(lines[0]!))).toContain(HOSTILE);
      expect(table!.csv().split("\r\n")).toHaveLength(3);
    }
  });
});

describe("an empty page", () => {
  it.each([
    ["/kept", "the whole text comes here"],
    ["/conversations", "zeph run"],
  ])("says what would fill it: %s", async (address, words) => {
    expect(textOf(await pageAt(givenSources(), address))).toContain(words);
  });
});

it("the two lists of what is kept lead to each other, and each says which it is", async () => {
  const client = await openClient();
  await client.enter();
  for (const [path, name] of [
    ["/kept", "Whole outputs"],
    ["/conversations", "Conversations"],
    ["/conversations/talk-1", undefined],
  ] as const) {
    const page = load((await client.ask(path)).text);
    expect(page("nav a[aria-current=page]").contents().first().text()).toBe("Kept");
    expect(page("main .choices a[aria-current=page]").text()).toBe(name ?? "");
    if (name !== undefined)
      expect(
        page("main .choices a")
          .toArray()
          .map((one) => page(one).attr("href")),
      ).toEqual(["/kept", "/conversations"]);
  }
});

describe("the report of a session", () => {
  const report: SessionReport = {
    about: { sessions: [HOSTILE], workspaces: [HOSTILE], callers: [], first: "a", last: "b", version: "1.0.0", made: "c" },
    log: [],
    lines: [],
    changes: [],
    missing: [],
    linesHash: "d",
  };

  it("is a page of its own that may do nothing but show its own style", async () => {
    const sources = { ...createMemorySources(), report: async () => ({ report, dataHash: "e" }) };
    const client = await openClient({ sources });
    await client.enter();
    const { status, headers, text } = await client.ask(`/report/${id}`);
    expect(status).toBe(200);
    const [, style] = /<style>(.*?)<\/style>/s.exec(text)!;
    const hash = createHash("sha256").update(style!).digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(load(text)("i.hostile, script, [onx]").length).toBe(0);
  });

  it("says what is wrong with an id, and where no report can be made", async () => {
    const sources = givenSources();
    expect(await ask(sources, "GET", "/report/x")).toMatchObject({ status: 404 });
    expect(await ask({ ...sources, report: async () => ({ problem: "There is none." }) }, "GET", "/report/x")).toEqual({
      refused: "There is none.",
      status: 404,
    });
  });
});
