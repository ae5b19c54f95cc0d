import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { ToolError } from "../../src/core/error.ts";
import { NEVER } from "../../src/core/tool.ts";
import { openHtmlReader } from "../../src/host/html/reader.ts";

/** Its limit of time is tried below; a busy machine must not meet it here. */
const reader = openHtmlReader({ timeMs: 300_000 });
afterAll(() => reader.close());

const url = "https://a.example/b/";
const html = { type: "text/html", charset: null, url };
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const page = (text: string, from = reader, signal: AbortSignal = NEVER) => from.page(bytes(text), html, "markdown", signal);
const failure = (promise: Promise<unknown>): Promise<ToolError> =>
  promise.then(
    () => Promise.reject(new Error("It went well.")),
    (error) => error,
  );
/** Takes the thread longer than any cap here. */
const HANGS = { select: ":not(:has(* * *)) ~ *:not(:has(* ~ * ~ * ~ *)) * * * * *:has(* ~ * ~ * ~ *)", extract: "text", limit: 1 } as const;
const WIDE = "<i><b></b></i>".repeat(20_000);

describe("kinds of bodies", () => {
  const read = (body: string | Uint8Array, type: string, charset: string | null = null) =>
    reader.page(typeof body === "string" ? bytes(body) : body, { type, charset, url }, "markdown", NEVER);
  it.each([
    ["application/json", '{"a": "<b>"}'],
    ["application/problem+json", "[1 , 2]"],
    ["text/plain", "  <b>as it is</b>\n"],
    ["text/markdown", "# a\n"],
    ["text/csv", "a,b\n1,2\n"],
    ["application/xml", "<a><b/></a>"],
    ["image/svg+xml", "<svg/>"],
    ["application/rss+xml", "<rss/>"],
    ["application/javascript", "x < 1"],
    ["", "just words"],
    ["", '<?xml version="1.0"?><a/>'],
    ["application/octet-stream", "words"],
  ])("%s is given as it is", async (type, text) => expect(await read(text, type)).toEqual({ title: null, text }));
  it("is given as it is when large, too", async () => {
    const text = JSON.stringify("é ".repeat(400_000));
    expect((await read(text, "application/json")).text === text).toBe(true);
  });
  it.each([["text/html"], ["application/xhtml+xml"], [""]])("reads %j as HTML", async (type) =>
    expect((await read("<!doctype html><title>T</title><p>a <b>b</b>", type)).text).toBe("a **b**"),
  );
  it("decodes what the server or the page names", async () => {
    expect((await read(Uint8Array.of(0xcf, 0xf0), "text/plain", "windows-1251")).text).toBe("Пр");
    expect((await read(new Uint8Array(Buffer.from("<meta charset=koi8-r><p>\xf0\xd2", "latin1")), "text/html")).text).toBe("Пр");
    expect((await failure(read("ab", "text/html", "iso-2022-kr"))).category).toBe("permanent_failure");
  });
  it.each([
    ["application/pdf", "%PDF-1.7 …", /application\/pdf, 12 bytes/],
    ["text/html", "%PDF-1.7\n", /text\/html \(PDF\), 9 bytes/],
    ["image/png", "\x89PNG", /image\/png/],
    ["application/zip", "PK\x03\x04", /application\/zip/],
    ["", "PK\x03\x04", /no stated type \(ZIP\)/],
    ["text/plain", "a\0b\0\0", /not text/],
    ["video/mp4", "x".repeat(3_000_000), /video\/mp4, 2\.9 MiB/],
    ["application/x-unheard-of", "words", /application\/x-unheard-of/],
  ])("refuses %s", async (type, body, message) => {
    const error = await failure(read(new Uint8Array(Buffer.from(body, body.includes("…") ? "utf8" : "latin1")), type));
    expect(error.category).toBe("permanent_failure");
    expect(error.message).toMatch(message);
  });
  it("selects in HTML and XML only", async () => {
    const query = { select: "a", extract: "text", limit: 1 } as const;
    expect((await reader.select(bytes("<a>x</a>"), { ...html, type: "text/xml" }, query, NEVER)).items).toEqual(["x"]);
    expect((await failure(reader.select(bytes("{}"), { ...html, type: "application/json" }, query, NEVER))).message).toContain("fetch");
    expect((await failure(reader.select(bytes("<a>"), html, { ...query, select: "a[" }, NEVER))).category).toBe("invalid_parameters");
  });
});

describe("hostile pages", () => {
  it.each([
    ["50,000 open elements", "<div>".repeat(50_000)],
    ["50,000 nested elements", `${"<div>".repeat(50_000)}deep${"</div>".repeat(50_000)}`],
    ["mixed nesting", `${"<table><tr><td><ul><li><b>".repeat(20_000)}deep`],
    ["closings of nothing", "</x>".repeat(250_000)],
    ["one long attribute", `<p title="${"a".repeat(1_000_000)}">x`],
    ["many attributes", `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(" ")}>x`],
    ["many entities", "&amp;&lt;&#x41;".repeat(70_000)],
    ["backticks", `<pre>${"`".repeat(1_000_000)}</pre>`],
    ["quotes in quotes", "<blockquote><ul><li>a".repeat(10_000)],
    ["a wide table", `<table><tr>${"<td colspan=1000 rowspan=1000>x".repeat(20_000)}</table>`],
    ["10 MB of junk", "x<y>&z;\u0001 </q".repeat(700_000)],
  ])("%s", async (_name, text) => {
    expect(typeof (await page(text)).text).toBe("string");
  });
  it("keeps the text of what is too deep", async () => expect((await page(`${"<div>".repeat(50_000)}deep`)).text).toBe("deep"));
  it("says when there was too much", async () => expect(await page("<b>x</b>".repeat(250_000))).toMatchObject({ truncated: true }));
  it("refuses what is too large", async () => expect((await failure(page("x".repeat(17 * 1024 * 1024)))).message).toContain("17825792"));
  it("reads any bytes, or says why not", async () => {
    const types = fc.constantFrom("text/html", "text/xml", "text/plain", "", "application/json");
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        types,
        fc.constantFrom(null, "utf-16", "euc-kr", "x"),
        async (body, type, charset) => {
          const outcome = await reader.page(body, { type, charset, url }, "text", NEVER).catch((error) => error);
          expect(outcome instanceof ToolError || typeof outcome.text === "string").toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
  it("takes any selector, or says why not", async () => {
    const piece = fc.constantFrom(
      "a",
      ".b",
      "#c",
      "[d]",
      "[e='f']",
      ":not(",
      ":has(",
      ")",
      ">",
      "+",
      "~",
      ",",
      " ",
      "*",
      ":nth-child(2n)",
      ":x",
      "::y",
      "|",
      "\\",
      "'",
      '"',
      "(",
      "é",
      "<b>",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const query = { select: pieces.join(""), extract: "html", limit: 3 } as const;
        const outcome = await reader.select(bytes("<a class=b id=c d e=f><p>x<a>"), html, query, NEVER).catch((error) => error);
        expect(outcome instanceof ToolError ? outcome.category : "fine").toMatch(/^(fine|invalid_parameters)$/);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the thread", () => {
  it("reads 20 pages at once, each its own", async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, (_, n) => page(`<p>page ${n}`)));
    expect(texts.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `page ${n}`));
  });
  it("is ended when it takes too long, and the next page is read", async () => {
    const quick = openHtmlReader({ timeMs: 5000 });
    const stuck = failure(quick.select(bytes(WIDE.repeat(4)), html, HANGS, NEVER));
    const after = page("<p>after", quick);
    expect(await stuck).toMatchObject({ category: "invalid_parameters", message: expect.stringContaining("5 s") });
    expect((await after).text).toBe("after");
    await quick.close();
  });
  it("is ended when it takes too much memory, and the next page is read", async () => {
    const small = openHtmlReader({ memoryMb: 8 });
    const error = await failure(page("<b><i>x</i></b>".repeat(90_000), small));
    expect(error.category).toBe("permanent_failure");
    expect(error.message).toContain("memory");
    expect((await page("<p>after", small)).text).toBe("after");
    await small.close();
  });
  it("lets go when the call is cancelled", async () => {
    const stop = new AbortController();
    const one = openHtmlReader();
    const stuck = failure(one.select(bytes(WIDE), html, HANGS, stop.signal));
    const waiting = failure(page("<p>never", one, stop.signal));
    setTimeout(() => stop.abort(new ToolError("cancelled", "Stopped.")), 300);
    expect(await stuck).toMatchObject({ category: "cancelled" });
    expect(await waiting).toMatchObject({ category: "cancelled" });
    expect((await page("<p>after", one)).text).toBe("after");
    await one.close();
  });
  it("is made anew after so many pages, and after resting", async () => {
    const short = openHtmlReader({ jobs: 2, idleMs: 20 });
    for (let n = 0; n < 5; n++) expect((await page(`<p>${n}`, short)).text).toBe(String(n));
    await new Promise((done) => setTimeout(done, 100));
    expect((await page("<p>rested", short)).text).toBe("rested");
    await short.close();
  });
  it("reads nothing once closed, and closing twice is fine", async () => {
    const done = openHtmlReader();
    const busy = failure(done.select(bytes(WIDE), html, HANGS, NEVER));
    await new Promise((later) => setTimeout(later, 300));
    await done.close();
    await done.close();
    expect((await busy).category).toBe("cancelled");
    expect((await failure(page("<p>x", done))).category).toBe("cancelled");
  });
  it("does not grow with the pages it has read", async () => {
    const text = `<article>${"<p>Some words of a page, and <a href=x>a link</a>.</p>".repeat(400)}</article>`;
    const rss = async (rounds: number) => {
      for (let n = 0; n < rounds; n++) await page(text);
      return process.memoryUsage().rss;
    };
    const before = await rss(60);
    expect((await rss(200)) - before).toBeLessThan(128 * 1024 * 1024);
  });
});
