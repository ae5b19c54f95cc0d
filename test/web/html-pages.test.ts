import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPage } from "../../src/host/html/read.ts";
import { cpuMs } from "../cpu.ts";

const folder = new URL("./html-pages/", import.meta.url);
const about = { kind: "html", charset: null, url: "https://meadow.example/2025/bees.html" } as const;
const page = (html: string, as: "markdown" | "text" = "markdown") => readPage(new Uint8Array(Buffer.from(html)), about, as);
const file = (name: string) => readFileSync(new URL(name, folder));

describe.each(["article", "docs", "malformed"])("%s.page", (name) => {
  it.each(["markdown", "text"] as const)("as %s", async (as) => {
    const { title, text, truncated } = readPage(file(`${name}.page`), about, as);
    expect(truncated).toBe(undefined);
    await expect(`${title}\n=====\n${text}\n`).toMatchFileSnapshot(new URL(`${name}.${as}.golden`, folder).pathname);
  });
});

describe("main content", () => {
  const prose = (n: number) => `<p>${`Sentence ${n} of the text, which is long enough to be prose. `.repeat(3)}</p>`;
  it("keeps every article of a list", () => {
    const { text } = page(`<main>${[1, 2, 3].map((n) => `<article><h2>Post ${n}</h2>${prose(n)}</article>`).join("")}</main>`);
    expect(["Post 1", "Post 2", "Post 3"].filter((post) => text.includes(post))).toHaveLength(3);
  });
  it("keeps a shorter article beside a longer one", () => {
    expect(page(`<article>${prose(1)}${prose(2)}${prose(3)}</article><article>${prose(4)}${prose(5)}</article>`).text).toContain(
      "Sentence 5",
    );
  });
  it("keeps two halves, whatever they are called", () => {
    const { text } = page(`<div class="a">${prose(1)}</div><div class="b">${prose(2)}</div>`);
    expect(text).toMatch(/Sentence 1.*Sentence 2/s);
  });
  it("keeps what is called furniture when it is most of the page", () => {
    expect(page(`<div id="cookies">${prose(1)}${prose(2)}</div><div>${prose(3)}</div>`).text).toContain("Sentence 2");
  });
  it("gives the whole body where there is no article", () => {
    expect(page("<nav><a href=/a>One</a></nav><footer>Two</footer>").text).toMatch(/\[One\]\(https:\/\/meadow.example\/a\).*Two/s);
    expect(page("just text").text).toBe("just text");
  });
  it("is empty for a page that only scripts fill", () =>
    expect(page('<div id="root"></div><script>x()</script><noscript>No.</noscript>').text).toBe(""));
});

describe("links", () => {
  const link = (href: string) => page(`<p><a href="${href}">x</a>`).text;
  it.each([
    ["a", "[x](https://meadow.example/2025/a)"],
    ["../b?c#d", "[x](https://meadow.example/b?c#d)"],
    ["/./e", "[x](https://meadow.example/e)"],
    ["//other.example/f", "[x](https://other.example/f)"],
    [" http://other.example/g h ", "[x](http://other.example/g%20h)"],
    ["?q", "[x](https://meadow.example/2025/bees.html?q)"],
    ["#here", "x"],
    ["mailto:a@b.example", "x"],
    ["java\nscript:alert(1)", "x"],
    ["data:text/html,x", "x"],
    [`/${"l".repeat(3000)}`, "x"],
  ])("%j", (href, expected) => expect(link(href)).toBe(expected));
  it("end before the block they reach over", () => {
    expect(page("<a href=/a><h3>Head</h3><p>Text</p></a>").text).toBe("### [Head](https://meadow.example/a)\n\nText");
  });
  it("are left out of text", () => expect(page("<p><a href=/a>x</a> <b>y</b>", "text").text).toBe("x y"));
});

it("the page marks nothing that is empty, and leaves blanks outside", () => {
  expect(page("<p>a<b> b </b>c<b></b><i> </i>d<code> e</code>").text).toBe("a **b** c d `e`");
});
it("drops controls of forms and what no one sees", () => {
  expect(
    page(
      '<p>a<button>b</button><select><option>c</select><span aria-hidden="true">d</span><template>e</template><svg><text>f</text></svg>g',
    ).text,
  ).toBe("ag");
});
it("the page gives a code block a fence longer than any inside", () => {
  expect(page("<pre>a ````` b</pre>").text).toBe("``````\na ````` b\n``````");
});
it("the page does not take a layout for data", () => {
  expect(page("<table><tr><td><table><tr><td>a<td>b</table><td>c</table>").text).toContain("| a | b |");
  expect(page('<table role="presentation"><tr><td>a<td>b</table>').text).not.toContain("|");
});
it("bounds what absolute links can blow up", () => {
  const base = `<base href="https://meadow.example/${"b".repeat(1900)}/">`;
  const { text, truncated } = page(`${base}<p>${"<a href=x>y</a> ".repeat(20_000)}`);
  expect(truncated).toBe(true);
  expect(text.length).toBeLessThan(4_100_000);
});
it("the page has a title, shortened, from a heading if need be", () => {
  expect(page("<h1> A  b </h1>").title).toBe("A b");
  expect(page("<p>x").title).toBe(null);
  expect(page("<title>&lt;b&gt; &amp; co</title><svg><title>no</title></svg>").title).toBe("<b> & co");
  expect(page(`<title>${"t".repeat(5000)}</title>`).title).toHaveLength(300);
});

describe("what nobody sees", () => {
  it("is left out", () => {
    const hidden = ["opacity:0", "font-size:0", "visibility:collapse", "left:-999px", "dis/**/play:none", "width:0;overflow:hidden"];
    expect(page(`<p>a</p>${hidden.map((style) => `<p style="${style}">no</p>`).join("")}<p>b</p>`).text).toBe("a\n\nb");
  });
  it("is left out of tables", () =>
    expect(page("<table><tr><td>a<td>b</tr><template><tr><td>no<td>no</tr></template></table>", "text").text).toBe("a | b"));
  it("is no title", () => expect(page("<h1 hidden>no</h1><p>a").title).toBe(null));
});

it("blanks inside code are passed over once", () => {
  const started = cpuMs();
  expect(page(`<pre>a${" ".repeat(400_000)}b \n </pre>`, "text").text).toHaveLength(400_002);
  expect(cpuMs() - started).toBeLessThan(4000);
});
