import { load } from "cheerio";
import { describe, expect, it } from "vitest";
import { conversationRoute } from "../../src/front/watch/pages/conversation.ts";
import { keptTextRoute } from "../../src/front/watch/pages/output-text.ts";
import { keptRoute } from "../../src/front/watch/pages/outputs.ts";
import { rulesRoute, tryRulesRoute } from "../../src/front/watch/pages/rules.ts";
import type { WatchPage, WatchRequest, WatchRoute } from "../../src/front/watch/watch-route.ts";
import type { WatchSources } from "../../src/front/watch/watch-sources.ts";
import { givenSources, requestOf } from "./given-sources.ts";

async function render(route: WatchRoute, sources: WatchSources, address: string, more: Partial<WatchRequest> = {}) {
  const page = (await route.render(sources, requestOf(address, more))) as WatchPage;
  return { page, $: load(`${page.lead}${page.body}`) };
}
describe("Rules", () => {
  const changed = [
    { callId: "c1", tool: "bash", args: { command: "git push" }, times: 12, was: "ask", would: "deny", gate: "policy", rule: "rule[2]" },
  ];
  const trying = (answer: Awaited<ReturnType<WatchSources["rules"]["tryRules"]>>) =>
    givenSources({
      rules: { gates: async () => [{ gate: "policy", state: "off", asked: 0, denied: 1234 }], tryRules: async () => answer },
    });
  const post = (toml: string) => ({ form: new URLSearchParams({ toml }) });

  it("shows the gates in their order, and tries nothing before it is asked to", async () => {
    const { $ } = await render(
      rulesRoute,
      givenSources({ rules: { gates: async () => [{ gate: "policy", state: "off", asked: 0, denied: 1234 }] } }),
      "/rules",
    );
    expect(
      $("tbody tr td")
        .toArray()
        .map((one) => $(one).text()),
    ).toEqual(["1", "policy", "off", "0", "1,234"]);
    expect($("form textarea").text()).toContain("[[tools.policy.rules]]");
    expect($.root().text()).toContain("Nothing is run, and no rule is written.");
  });

  it("tells what differs, by call with its count and link, what is not comparable, and the TOML to copy", async () => {
    const { $, page } = await render(
      tryRulesRoute,
      trying({ calls: 2012, same: 1990, notComparable: { "it never reached the rules": 10 }, changed, ms: 1400 }),
      "/rules",
      post('a = 1\r\nb = "c"'),
    );
    expect(page.status).toBe(200);
    expect($('[role="status"]').text()).toContain("12 calls would have been decided otherwise");
    expect($('[role="status"]').text()).toContain("2,012 calls judged in 1.4 s: 1,990 the same, 10 not comparable");
    expect($('a[href="/log/c1"]').text()).toBe("git push");
    expect($("details li").text()).toBe("10: it never reached the rules");
    expect($('pre[aria-label="The rules to copy"]').text()).toBe('a = 1\nb = "c"');
    expect($("textarea").text()).toBe('a = 1\nb = "c"');
  });

  it("says what is wrong with the rules in words, with the line it is about", async () => {
    const { $, page } = await render(
      tryRulesRoute,
      trying({ problem: '1:1: it needs "effect".\n2:1: "efect" is not a setting.\nAnd more.' }),
      "/rules",
      post("[[rules]]\nefect = 1\n"),
    );
    expect(page.status).toBe(422);
    expect($('[role="alert"]').text()).toContain('"efect" is not a setting');
    const problems = $('[role="alert"] li')
      .toArray()
      .map((one) => $(one).text());
    expect(problems).toEqual(['Line 1: it needs "effect".[[rules]]', 'Line 2: "efect" is not a setting.efect = 1', "And more."]);
    expect($("textarea").attr("aria-invalid")).toBe("true");
  });

  it.each(["", "x".repeat(70_000)])("refuses what is empty or too long without a replay", async (toml) => {
    const sources = givenSources({ rules: { gates: async () => [] } });
    expect((await render(tryRulesRoute, sources, "/rules", post(toml))).page.status).toBe(422);
  });

  it("gives up when the reader goes", async () => {
    const gone = new AbortController();
    let begun = (_signal: AbortSignal) => {};
    const given = new Promise<AbortSignal>((resolve) => {
      begun = resolve;
    });
    const sources = givenSources({
      rules: {
        tryRules: (_toml, signal) => {
          begun(signal);
          return new Promise((done) => signal.addEventListener("abort", () => done({ problem: "stopped" })));
        },
      },
    });
    const page = tryRulesRoute.render(sources, requestOf("/rules", { ...post("a = 1"), signal: gone.signal }));
    expect((await given).aborted).toBe(false);
    gone.abort();
    expect((await given).aborted).toBe(true);
    expect(await page).toMatchObject({ status: 422 });
  });
});

describe("Kept output", () => {
  const entry = { id: "k1", handle: 7, chars: 450_000, createdAt: 1, callId: "c9" };
  const text = `${"a line of text\n".repeat(15_000)}Needle here\n${"b\n".repeat(100_000)}a needle again`;
  const sources = givenSources({
    kept: { list: async () => [entry], totals: async () => ({ texts: 1, chars: 450_000 }), text: async () => ({ entry, text }) },
  });

  it("shows at most 200,000 characters at once, and says where the rest is", async () => {
    const { $, page } = await render(keptTextRoute, sources, "/kept/k1", { words: ["k1"] });
    expect(page.title).toBe("Kept output raw#7");
    expect($("pre.kept").text()).toHaveLength(200_000);
    expect($(".pages").text()).toContain("Part 1 of 3: characters 1 to 200,000 of 425,026");
    expect($('a[rel="next"]').attr("href")).toBe("/kept/k1?part=2");
    expect($('a[href="/log/c9"]').text()).toBe("call c9");
  });

  it("opens the part where the search matched first, marks it, and lists the lines", async () => {
    const { $ } = await render(keptTextRoute, sources, "/kept/k1?q=NEEDLE", { words: ["k1"] });
    expect(
      $("mark")
        .toArray()
        .map((one) => [$(one).attr("id"), $(one).text()]),
    ).toEqual([["m1", "Needle"]]);
    expect($(".found summary").text()).toBe("Found at 2 places");
    expect(
      $(".found a")
        .toArray()
        .map((one) => [$(one).text(), $(one).attr("href")]),
    ).toEqual([
      ["line 15,001", "/kept/k1?q=NEEDLE&part=2#m1"],
      ["line 115,002", "/kept/k1?q=NEEDLE&part=3#m2"],
    ]);
    const last = await render(keptTextRoute, sources, "/kept/k1?q=needle&part=3", { words: ["k1"] });
    expect(last.$("mark").attr("id")).toBe("m2");
    const none = await render(keptTextRoute, sources, "/kept/k1?q=(.*", { words: ["k1"] });
    expect(none.$('[role="status"]').text()).toContain("nowhere");
  });

  it("takes a text that is gone for a page that is not there", async () => {
    expect(await keptTextRoute.render(givenSources(), requestOf("/kept/x", { words: ["x"] }))).toMatchObject({ status: 404 });
  });

  it("exports at most 10,000 rows, and shows a hundred at a time", async () => {
    const all = Array.from({ length: 10_000 }, (_, n) => ({ ...entry, id: `k${n}` }));
    const many = givenSources({
      kept: { list: async ({ limit }) => all.slice(0, limit), totals: async () => ({ texts: 20_000, chars: 9 }) },
    });
    const { $, page } = await render(keptRoute, many, "/kept?from=100");
    expect($("tbody tr")).toHaveLength(100);
    expect($(".pages").text()).toContain("101–200 of the first 10,000");
    expect(page.table!.jsonl().split("\n")).toHaveLength(101);
    const exported = await render(keptRoute, many, "/kept?from=100&format=csv");
    expect(exported.page.table!.csv().split("\r\n")).toHaveLength(10_002);
  });
});

describe("A conversation", () => {
  it("is paged, folds calls with their answers, and says what the model no longer sees", async () => {
    const message = (position: number) => ({ position, message: { role: "user", text: `said ${position}` } as const });
    const stored = Array.from({ length: 250 }, (_, n) => message(n + 1));
    const call = { type: "request", id: "r", callId: "c1", name: "read", args: { path: "a.txt" } } as const;
    const all = [
      ...stored,
      { position: 251, message: { role: "assistant", model: "m", parts: [call] } as const },
      { position: 252, message: { role: "tool", id: "r", text: "the answer" } as const },
    ];
    const sources = givenSources({
      conversations: {
        get: async (id) => ({
          id,
          workspace: "/w",
          title: "T",
          createdAt: 1,
          updatedAt: 2,
          length: 252,
          windowStart: 101,
          elidedUntil: 251,
          counted: { tokens: 0, position: 0 },
          seen: { untrusted: false },
        }),
        messages: async (_id, { after, limit }) => all.filter(({ position }) => position > after).slice(0, limit),
      },
    });
    const first = await render(conversationRoute, sources, "/conversations/x?after=100", { words: ["x"] });
    expect(first.$(".said")).toHaveLength(100);
    expect(first.$(".said.past")).toHaveLength(1);
    expect(
      first
        .$(".divider")
        .toArray()
        .map((one) => first.$(one).text()),
    ).toEqual(["No longer shown to the model from here: a summary stands for it", "The model is shown what follows"]);
    expect(first.$('a[rel="next"]').first().attr("href")).toBe("/conversations/x?after=200");
    const { $ } = await render(conversationRoute, sources, "/conversations/x?after=200", { words: ["x"] });
    expect($("details.call summary").text()).toContain("read a.txt");
    expect($("details.call").text()).toContain("the answer");
    expect($("details.call").text()).toContain("no longer what it said");
    expect($('details.call a[href="/log/c1"]')).toHaveLength(1);
    expect($(".said")).toHaveLength(51);
    expect($('a[href="/report/x"]')).toHaveLength(1);
  });
});
