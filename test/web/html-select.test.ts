import { describe, expect, it } from "vitest";
import type { ToolError } from "../../src/core/error.ts";
import { selectIn } from "../../src/host/html/read.ts";

const PAGE = `<title>Shop</title><base href="/shop/"><ul id=list>
<li class="item a"><a href="one.html">One   <b>thing</b></a><img src="//img.example/1.png">
<li class=item><a href="?two">Two</a> <script>no()</script>
<li class=item> <a href="mailto:x@y.example"></a>
<li class="item b"><a HREF="https://other.example/3" title=" t ">Three</a></ul>`;
const about = { kind: "html", charset: null, url: "https://a.example/x/y" } as const;
const find = (select: string, extract: "text" | "html" | { attribute: string } = "text", limit = 10, html = PAGE) =>
  selectIn(new Uint8Array(Buffer.from(html)), about, { select, extract, limit });
const failure = (select: string): ToolError => {
  try {
    find(select);
  } catch (error) {
    return error as ToolError;
  }
  throw new Error("It was taken.");
};

it("a selection takes text, squeezed, without scripts, and skips what is blank", () => {
  expect(find(".item")).toEqual({ items: ["One thing", "Two", "Three"], more: false, title: "Shop", elements: 14 });
});
it("a selection takes the inner HTML with links made absolute", () => {
  expect(find("li.a", "html").items).toEqual([
    '<a href="https://a.example/shop/one.html">One   <b>thing</b></a><img src="https://img.example/1.png">',
  ]);
});
it("a selection takes attributes, addresses made absolute", () => {
  expect(find("a", { attribute: "href" }).items).toEqual([
    "https://a.example/shop/one.html",
    "https://a.example/shop/?two",
    "mailto:x@y.example",
    "https://other.example/3",
  ]);
  expect(find("a", { attribute: "HREF" }).items).toHaveLength(4);
  expect(find("a", { attribute: "title" }).items).toEqual(["t"]);
  expect(find("a", { attribute: "constructor" }).items).toEqual([]);
});
it("a selection stops at the limit and says when there is more", () => {
  expect(find("a", "text", 2)).toMatchObject({ items: ["One thing", "Two"], more: true });
  expect(find("a", "text", 3)).toMatchObject({ more: false });
});
it("a selection knows the selectors people use", () => {
  for (const select of [
    "li:not(.a) > a",
    "a[href^='https:']",
    "li:nth-child(2)",
    "li:has(img)",
    "ul li + li",
    "#list",
    "li:first-of-type",
    "LI",
    "a:contains(Two)",
  ])
    expect(find(select).items.length, select).toBeGreaterThan(0);
});
it("a selection finds nothing in an empty page", () =>
  expect(find("a", "text", 10, "")).toEqual({ items: [], more: false, title: null, elements: 0 }));
it("a selection never makes elements of a selector", () => expect(failure("<b>made</b>").category).toBe("invalid_parameters"));
it("a selection reads XML with its own names", () => {
  const xml = new Uint8Array(
    Buffer.from("<rss><channel><item><link>https://a.example/1</link><pubDate>May</pubDate></item></channel></rss>"),
  );
  expect(selectIn(xml, { ...about, kind: "xml" }, { select: "item > pubDate, item link", extract: "text", limit: 9 }).items).toEqual([
    "https://a.example/1",
    "May",
  ]);
});

describe("text", () => {
  const text = (html: string, select = "main") => find(select, "text", 99, `<main>${html}</main>`).items;
  it.each([
    ["<table><tr><td>Name</td><td>Price</td></tr><tr><th>a</th><td>1</td></tr></table>", "Name Price a 1"],
    ["<ul><li>One</li><li>Two</li></ul>", "One Two"],
    ["a<br>b<hr>c", "a b c"],
    ["<h2>Head</h2><p>Text <b>bo</b>ld.</p><div>End</div>", "Head Text bold. End"],
    ["<dl><dt>k</dt><dd>v</dd></dl>", "k v"],
  ])("keeps blocks and cells apart: %s", (html, expected) => expect(text(html)).toEqual([expected]));
  it.each([
    "<p hidden>no</p>",
    "<p aria-hidden=true>no</p>",
    "<script>no</script>",
    "<style>no</style>",
    "<template><p>no</p></template>",
    "<noscript>no</noscript>",
    "<!-- no -->",
    '<div style="display:none"><p>no</p></div>',
  ])("leaves out %s", (html) => {
    expect(text(`a${html}b`).join().replace(" ", "")).toBe("ab");
    expect(text(html, "main *")).toEqual([]);
  });
  it("can still be of what is no text on the page, when it is asked for", () => {
    const html = '<title>T</title><button>B</button><script type="application/ld+json">{"a":1}</script>';
    expect(find("title, button, script", "text", 9, html).items).toEqual(["T", "B", '{"a":1}']);
  });
  it("of XML is all of it, its fields apart", () => {
    const xml = new Uint8Array(
      Buffer.from("<rss><item><title>T</title><link>L</link><d><![CDATA[D]]></d><p hidden='1'>H<i>2</i>O</p><!-- no --></item></rss>"),
    );
    expect(selectIn(xml, { ...about, kind: "xml" }, { select: "item", extract: "text", limit: 9 }).items).toEqual(["T L D H2O"]);
  });
});

it("a selection takes HTML without comments, scripts and styles", () => {
  const html = "<main>a<!-- no --><script>no</script><p>b<style>no</style><!no><?no?><!----></p></main><script>no</script>";
  expect(find("main, p, script", "html", 9, html).items).toEqual(["a<p>b</p>", "b"]);
});

describe("explains a bad selector", () => {
  it.each([
    ["div[", 'the attribute in "[" is not understood or "]" is missing, at character 4.'],
    ["a[href=]", 'the attribute in "[" is not understood or "]" is missing, at character 2.'],
    ["a >", 'a selector is missing after ">", at character 3.'],
    ["a > > b", '">" follows ">", at character 5.'],
    ["a,,b", 'a selector is missing after ",", at character 2.'],
    [",a", 'a selector is missing before ",", at character 1.'],
    ["li:nth-child(x)", "n-th rule couldn't be parsed ('x')."],
    ["a:hoverr", '":hoverr" is not known, at character 2.'],
    ["p::before", '"::" names a part that is not an element, at character 2.'],
    ["..a", 'a class name is missing after ".", at character 1.'],
    ["a #", 'a name is missing after "#", at character 3.'],
    ["a{b}", '"{" is not understood, at character 2.'],
    [" ", "it is empty."],
    [")", '")" closes nothing, at character 1.'],
    ["a:not(", '")" is missing after ":not(", at character 2.'],
    ["a:not()", 'a selector is missing before ")", at character 7.'],
    ["a:nth-child(2", '")" is missing after ":nth-child(", at character 2.'],
    [`${":not(".repeat(20)}a${")".repeat(20)}`, "it is nested more than 16 deep, at character 85."],
  ])("%s", (select, expected) => {
    const { category, message } = failure(select);
    expect(category).toBe("invalid_parameters");
    expect(message).toBe(`${JSON.stringify(select.length > 100 ? `${select.slice(0, 100)}…` : select)} is not a CSS selector: ${expected}`);
  });
});
