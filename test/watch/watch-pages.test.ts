import { gzipSync } from "node:zlib";
import { load } from "cheerio";
import { expect, it } from "vitest";
import { WATCH_ASSETS } from "../../src/front/watch/assets/built-in-assets.ts";
import { createMemorySources, sampleQuestion } from "./memory-sources.ts";
import { openClient, type WatchClient } from "./watch-client.ts";

async function entered(
  parts: Parameters<typeof openClient>[0] = {},
): Promise<WatchClient & { read(path: string): Promise<ReturnType<typeof load>> }> {
  const client = await openClient(parts);
  await client.enter();
  return { ...client, read: async (path) => load((await client.ask(path)).text) };
}

it("every page has landmarks, one title, a way past the navigation, and says which page it is", async () => {
  const { read } = await entered();
  for (const [path, name] of [
    ["/", "Now"],
    ["/log", "Log"],
    ["/log/call-4", "Log"],
  ] as const) {
    const page = await read(path);
    for (const landmark of ["header", "nav", "main", "h1"]) expect(page(landmark)).toHaveLength(1);
    expect(page("html").attr("lang")).toBe("en");
    expect(page("a.skip").attr("href")).toBe("#page");
    expect(page("nav a[aria-current=page]").contents().first().text()).toBe(name);
    expect(page("title").text()).toMatch(/Zeph watch$/);
    expect(page("body").text().toLowerCase()).not.toContain("console");
    // What scrolls can be reached without a mouse, and every field has a name.
    for (const pre of page("pre, .scroll").toArray()) expect(page(pre).attr("tabindex")).toBe("0");
    for (const field of page("input:not([type=hidden]), select").toArray()) expect(page(field).attr("aria-label")).toBeTruthy();
    expect(
      page("[id]")
        .toArray()
        .map((one) => page(one).attr("id")),
    ).toHaveLength(
      new Set(
        page("[id]")
          .toArray()
          .map((one) => page(one).attr("id")),
      ).size,
    );
  }
});

it("the strip says what is known of log, walls, autonomy, policy and rights", async () => {
  const { read, post, mark } = await entered();
  expect((await read("/"))("header").text()).toMatch(
    /log not checked yet.*walls bubblewrap.*autonomy supervised.*policy 2 rules, else allow.*may answer/s,
  );
  await post("/verify", { mark: await mark() });
  expect((await read("/"))("header").text()).toContain("log intact, 63 lines");
  const broken = await entered({ sources: createMemorySources((plain) => `${plain}!`), rights: { answer: false } });
  await broken.post("/verify", { mark: await broken.mark() });
  expect((await broken.read("/log"))("header").text()).toMatch(/log changed.*read only/s);
});

it("the page Now puts questions first, then counts, calls, and what was refused", async () => {
  const { read, sources } = await entered();
  sources.ask(sampleQuestion());
  const page = await read("/");
  expect(page("title").text()).toBe("(1) Now · Zeph watch");
  expect(
    page("main")
      .children()
      .map((_, one) => page(one).attr("id") ?? page(one).attr("class") ?? one.name)
      .toArray(),
  ).toEqual(["h1", "lead", "questions", "grid", "two"]);
  const card = page("#questions section").text();
  for (const told of ["edit needs a yes.", "src/parser.ts", "+  if (line", "edit changes files", "write src/parser.ts", "writes the rule:"])
    expect(card).toContain(told);
  expect(page("#live tbody tr")).toHaveLength(14);
  expect(page(".runs").text()).toContain("npm run build -- --watch");
  expect(page(".tag.exit").first().text()).toBe("exit 1");
});

it("the log is looked through by its address, forty calls a page", async () => {
  const { read } = await entered();
  const first = await read("/log");
  expect(first("tbody tr")).toHaveLength(40);
  expect(first(".pages").text()).toContain("1 to 40 of 63");
  const rest = await read(first("a[rel=next]").attr("href")!);
  expect(rest("tbody tr")).toHaveLength(23);
  expect((await read("/log?outcome=denied&tool=bash"))("tbody tr")).toHaveLength(9);
  const chosen = await read("/log?gate=odd&q=Force");
  expect(chosen("select[name=gate] option[selected]").text()).toBe("odd");
  expect(chosen("input[name=q]").attr("value")).toBe("Force");
  expect(chosen(".empty").text()).toContain("No call fits.");
  for (const from of ["-1", "x", "1e9", "0.5"]) expect((await read(`/log?from=${from}`))("h1").text()).toBe("Log");
});

it("the chain is checked again on a word, and what was changed is named", async () => {
  const broken = await entered({ sources: createMemorySources((plain) => `${plain}!`) });
  expect((await broken.read("/log"))(".banner").text()).toContain("Not checked yet");
  const went = await broken.post("/verify", { mark: await broken.mark() });
  expect([went.status, went.headers.location]).toEqual([303, "/log"]);
  const banner = (await broken.read("/log"))(".banner.bad");
  expect(banner.text()).toContain("line 3 was edited");
  expect(banner.find("button").text()).toBe("Check the chain again");
});

it("the page of a call tells what was decided then, what gates say now, and where the two differ", async () => {
  const { read } = await entered();
  const page = await read("/log/call-4");
  const text = page("main").text();
  for (const told of ["bash denied", "git push origin main --force", "not run", "denied by policy", "raw#7", "then it raised no objection"])
    expect(text).toContain(told);
  expect(page("tr.on")).toHaveLength(1);
  expect(page("details pre").text()).toContain('"call_id": "call-4"');
  expect(
    page(".gates li")
      .toArray()
      .map((one) => page(one).find(".tag").first().text()),
  ).toEqual(["pass", "deny", "pass", "ask", "pass"]);
  const allowed = await read("/log/call-1");
  expect(allowed(".banner.warn").text()).toContain("Then: allow, now: deny");
  expect(page(".banner.warn")).toHaveLength(0);
});

it("a table is given out as it is shown, as CSV and as JSON lines", async () => {
  const { ask } = await entered();
  const csv = await ask("/log?outcome=denied&format=csv");
  expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(csv.headers["content-disposition"]).toBe('attachment; filename="zeph-calls.csv"');
  expect(csv.text.trim().split("\r\n")).toHaveLength(10);
  const lines = (await ask("/log?outcome=denied&format=jsonl")).text.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))[0]).toMatchObject({ tool: "bash", what: "git push origin main --force", outcome: "denied" });
  expect((await ask("/log?format=other")).headers["content-type"]).toContain("text/html");
});

it("pages, style and scripts are small", async () => {
  const { ask, sources } = await entered();
  sources.ask(sampleQuestion());
  for (const path of ["/", "/log", "/log/call-4"]) expect(gzipSync((await ask(path)).text).length).toBeLessThan(12_000);
  expect(WATCH_ASSETS.reduce((sum, { text }) => sum + gzipSync(text).length, 0)).toBeLessThan(20_000);
  for (const { path, type, text } of WATCH_ASSETS) {
    const answer = await ask(path);
    expect([answer.headers["content-type"], answer.text === text]).toEqual([type, true]);
    expect(text).not.toMatch(/https?:|@import|url\(/);
  }
});
