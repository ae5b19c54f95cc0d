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
const MANAGE = { rights: { answer: false, manage: true } };

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
  savings: {
    rows: async () => [{ day: "2026-11-17", kind: HOSTILE, rule: HOSTILE, confidence: "full", uses: 3, rawChars: 900, chars: 100 }],
  },
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
  stored: {
    conversations: async () => [conversation],
    conversation: async () => conversation,
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
    memories: async () => [{ id: HOSTILE, content: HOSTILE, workspace: HOSTILE, untrusted: true, createdAt: 1 }],
    skills: async () => [{ name: HOSTILE, description: HOSTILE, place: HOSTILE, isTrusted: false }],
    schedule: async () => [
      {
        id: HOSTILE,
        workspace: HOSTILE,
        task: HOSTILE,
        when: HOSTILE,
        cron: HOSTILE,
        nextAt: 5,
        untrusted: true,
        bound: null,
        createdAt: 1,
        last: { at: 1, ok: false, conversation: HOSTILE },
      },
    ],
    servers: async () => [
      {
        server: HOSTILE,
        reached: HOSTILE,
        state: HOSTILE,
        pins: [{ tool: HOSTILE, hash: HOSTILE, definition: JSON.stringify({ description: HOSTILE }), since: 1 }],
        why: HOSTILE,
        askedAt: 1,
        changed: [{ tool: HOSTILE, kind: "changed", before: JSON.stringify({ a: HOSTILE }), after: HOSTILE }],
      },
    ],
    trust: async () => [{ subject: HOSTILE, since: 1 }],
  },
});
const id = encodeURIComponent(HOSTILE);

describe("a hostile text", () => {
  it.each([
    ["/savings?days=7", "GET"],
    ["/rules", "GET"],
    ["/rules", "POST"],
    [`/kept?q=${id}`, "GET"],
    [`/kept/${id}?q=${encodeURIComponent("<i")}`, "GET"],
    [`/conversations?q=${id}`, "GET"],
    [`/conversations/${id}`, "GET"],
    [`/memory?q=${id}`, "GET"],
    [`/memory/${id}/forget`, "GET"],
    ["/skills", "GET"],
    ["/schedule", "GET"],
    [`/schedule/${id}/remove`, "GET"],
    ["/servers", "GET"],
    [`/servers/${id}/forget`, "GET"],
    ["/trust", "GET"],
    [`/trust/${id}/distrust`, "GET"],
  ])("becomes no markup, and is shown: %s %s", async (address, method) => {
    for (const toml of method === "POST" ? [HOSTILE, `${HOSTILE} wrong`] : [""]) {
      const page = await pageAt(hostile, address, { ...MANAGE, form: new URLSearchParams({ toml }) }, method);
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
    for (const address of ["/savings", "/conversations", "/memory", "/skills", "/schedule", "/servers", "/trust", "/kept", "/rules"]) {
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
    ["/savings", "filter shortens"],
    ["/kept", "the whole text comes here"],
    ["/conversations", "zeph run"],
    ["/memory", "zeph memory save"],
    ["/skills", "SKILL.md"],
    ["/schedule", "zeph schedule add"],
    ["/servers", "zeph mcp add"],
    ["/trust", "zeph trust"],
  ])("says what would fill it: %s", async (address, words) => {
    expect(textOf(await pageAt(givenSources(), address))).toContain(words);
  });
});

describe("removing", () => {
  const removals = [
    [`/memory/${id}/forget`, "forgetMemory", "forgets the memory", "/memory"],
    [`/schedule/${id}/remove`, "removeTask", "removes the scheduled task", "/schedule"],
    [`/servers/${id}/forget`, "forgetPins", "forgets the definitions", "/servers"],
    [`/trust/${id}/distrust`, "distrust", "no longer trusts", "/trust"],
  ] as const;

  it.each(removals)("is two steps, and the log is told before anything goes: %s", async (address, act, words, back) => {
    const done: string[] = [];
    const stored = { ...hostile.stored, [act]: async (what: string) => done.push(`${act} ${what}`) > 0 };
    const sources = { ...hostile, stored, note: async (text: string) => void done.push(text) };
    const page = await pageAt(sources, address, MANAGE);
    expect(done).toEqual([]);
    const form = markupOf(page)('form[method="post"]');
    expect([form.attr("action"), form.find('input[name="mark"]').attr("value")]).toEqual([address, "the-mark"]);
    expect(await ask(sources, "POST", address, MANAGE)).toEqual({ goTo: back });
    expect(done).toEqual([expect.stringMatching(new RegExp(`^ada ${words}.*, in zeph watch$`, "s")), `${act} ${HOSTILE}`]);
  });

  it.each(removals)("is not done when the log cannot be told: %s", async (address) => {
    const sources = { ...hostile, note: () => Promise.reject(new Error("the disk is full")) };
    await expect(ask(sources, "POST", address, MANAGE)).rejects.toThrow("the disk is full");
  });

  it.each(removals)("needs the right to manage, and something to remove: %s", async (address) => {
    for (const method of ["GET", "POST"]) {
      const found = findPage(WATCH_ROUTES, method, address);
      expect("route" in found && found.route.needs).toBe("manage");
      expect(await ask(givenSources(), method, address, MANAGE)).toMatchObject({ status: 404 });
    }
  });

  it("is offered to nobody who only reads", async () => {
    for (const address of ["/memory", "/schedule", "/servers", "/trust"]) {
      const links = (page: WatchPage) => markupOf(page)('a[href$="/forget"], a[href$="/remove"], a[href$="/distrust"]').length;
      expect(links(await pageAt(hostile, address))).toBe(0);
      expect(links(await pageAt(hostile, address, MANAGE))).toBe(1);
    }
  });
});

describe("asking the MCP servers", () => {
  const configured = { server: "files:0123456789abcdef", reached: "node files.mjs", state: "configured", pins: [], changed: [] };

  it("is offered with the right to manage alone, and where there is a server", async () => {
    const forms = (page: WatchPage) => markupOf(page)('form[action="/servers/ask"] input[name="mark"]').length;
    const sources = givenSources({ stored: { servers: async () => [configured] } });
    expect(forms(await pageAt(sources, "/servers"))).toBe(0);
    expect(forms(await pageAt(sources, "/servers", MANAGE))).toBe(1);
    expect(forms(await pageAt(givenSources(), "/servers", MANAGE))).toBe(0);
    const found = findPage(WATCH_ROUTES, "POST", "/servers/ask");
    expect("route" in found && found.route.needs).toBe("manage");
  });

  it("tells the log first, and asks nobody where it cannot", async () => {
    const done: string[] = [];
    const stored = { askServers: async () => void done.push("asked") };
    const sources = givenSources({ stored, note: async (text) => void done.push(text) });
    expect(await ask(sources, "POST", "/servers/ask", MANAGE)).toEqual({ goTo: "/servers" });
    expect(done).toEqual(["ada asks the MCP servers what they offer, in zeph watch", "asked"]);
    const full = givenSources({ stored, note: () => Promise.reject(new Error("the disk is full")) });
    await expect(ask(full, "POST", "/servers/ask", MANAGE)).rejects.toThrow("the disk is full");
    expect(done).toHaveLength(2);
  });

  it("shows what differs before and after, what is as agreed to, and who was not reached", async () => {
    const shown = async (more: object) =>
      textOf(await pageAt(givenSources({ stored: { servers: async () => [{ ...configured, ...more }] } }), "/servers"));
    const changed = [
      { tool: "read_file", kind: "changed", before: '{"description":"reads"}', after: '{"description":"reads, and sends"}' },
    ];
    const text = await shown({ state: "connected", askedAt: 1, changed });
    expect(text).toContain('-  "description": "reads"');
    expect(text).toContain('+  "description": "reads, and sends"');
    expect(await shown({ state: "connected", askedAt: 1 })).toContain("Everything it offers is as it was agreed to.");
    const failed = await shown({ state: "failed", why: "it did not answer within 8 s", askedAt: 1 });
    expect(failed).toContain("it did not answer within 8 s");
    expect(failed).not.toContain("as it was agreed to.");
    expect(await shown({})).not.toContain("as it was agreed to.");
  });
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
