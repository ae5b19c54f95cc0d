import fc from "fast-check";
import { expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { boundPage } from "./bound-page.ts";
import { type HtmlNode, parsePage } from "./tree.ts";

const deepest = (root: HtmlNode): number => {
  let most = 0;
  const nodes: [HtmlNode, number][] = [[root, 0]];
  for (let next = nodes.pop(); next; next = nodes.pop()) {
    most = Math.max(most, next[1]);
    for (const child of next[0].children ?? []) nodes.push([child, next[1] + 1]);
  }
  return most;
};

it("the bound leaves an ordinary page as it is", () => {
  const page = '<!doctype html><p a=">" b=\'<div>\'>x<br><!-- <div> --><script>"<div>"</script><svg><path/><path/></svg><li>a<li>b';
  expect(boundPage(page, "html", { depth: 4 })).toEqual({ html: page, elements: 8, cut: false });
});

it("drops tags that are too deep and keeps what they hold", () => {
  const { html } = boundPage(`${"<b>".repeat(5)}deep${"</b>".repeat(5)}<i>after</i>`, "html", { depth: 3 });
  expect(html).toBe("<b><b><b>deep</b></b></b><i>after</i>");
  expect(boundPage("<div><div><p>a</p><p>b</p></div><p>c</p></div><p>d", "html", { depth: 2 }).html).toBe(
    "<div><div>ab</div><p>c</p></div><p>d",
  );
});

it("the bound forgets what it dropped in an element that has ended", () => {
  expect(boundPage("<div><div><b>x</div><b>y</b>", "html", { depth: 2 }).html).toBe("<div><div>x</div><b>y</b>");
});

it("the bound is not deceived about the depth", () => {
  for (const trick of [
    "<div></x>",
    '<div a="</div>">',
    "<div a=</div>",
    "<div><!--</div>-->",
    "<div><script></div></script>",
    "<div></div/",
    "<DIV></p>",
    "<a/>",
    "<div <div>",
  ])
    expect(deepest(parsePage(trick.repeat(3000), "html").root), trick).toBeLessThan(300);
  expect(deepest(parsePage("<a:b>".repeat(3000), "xml").root)).toBeLessThan(300);
});

it("the bound takes unclosed paragraphs and items for siblings", () => {
  expect(boundPage("<p>a".repeat(1000), "html", { depth: 3 }).html).toBe("<p>a".repeat(1000));
  const table = `<table>${"<tr><td>a<td>b".repeat(1000)}</table>`;
  expect(boundPage(table, "html", { depth: 4 }).html).toBe(table);
});

it("the bound cuts what has too many elements", () => {
  expect(boundPage("<b>x</b><i>y</i><u>z</u>", "html", { elements: 2 })).toEqual({ html: "<b>x</b><i>y</i>", elements: 2, cut: true });
});

it("bounds any text, keeps what is shallow, and is done in no time", () => {
  const piece = fc.constantFrom(
    "<div>",
    "</div>",
    "<p>",
    "<li>",
    "</li>",
    "<b a='>'>",
    "</b>",
    "<br/>",
    "x",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<",
    ">",
    '"',
    "=",
    "<svg>",
    "<path/>",
    "</svg>",
    "</",
    "<!",
    "<td>",
    "<tr>",
    "<table>",
    "</table>",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      const page = pieces.join("");
      expect(boundPage(page, "html").html).toBe(page);
      expect(deepest(parsePage(boundPage(page, "html", { depth: 10 }).html, "html").root)).toBeLessThan(10 + 8);
    }),
  );
});

it("the bound takes linear time", () => {
  for (const page of ["<", "<a", "</", "<!--", "<a =", "<div>", "</div>", "<script>", "<a b='", "<p></x>"]) {
    const started = cpuMs();
    boundPage(page.repeat(1_000_000 / page.length), "html");
    expect(cpuMs() - started, page).toBeLessThan(6000);
  }
});
