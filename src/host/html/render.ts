import type { MainContent } from "./main-content.ts";
import type { PageLinks } from "./page-links.ts";
import { isDataTable, rowsOf, type TableRow } from "./table.ts";
import { type HtmlElement, type HtmlNode, isElement, squeezeBlanks, UNSEEN, visibleText } from "./tree.ts";
import { LineWriter } from "./writer.ts";

export interface Rendered {
  readonly text: string;
  /** The text grew over the cap; the rest is left out. */
  readonly cut: boolean;
}

/** Links are written out in full, so a small page can ask for a large text. */
const MOST_CHARACTERS = 4_000_000;

/** The marks of each format. Text has none but what keeps lists and tables readable. */
const STYLES = {
  markdown: {
    heading: (level: number) => `${"#".repeat(level)} `,
    marks: { b: "**", strong: "**", i: "*", em: "*", del: "~~", s: "~~", code: "`", kbd: "`", samp: "`", tt: "`" } as Record<
      string,
      string
    >,
    quote: "> ",
    rule: "---",
    links: "written",
    fence: "written",
    cells: { before: "| ", between: " | ", after: " |" },
    pipe: "\\|",
  },
  text: {
    heading: () => "",
    marks: {} as Record<string, string>,
    quote: "",
    rule: "",
    links: "left out",
    fence: "left out",
    cells: { before: "", between: " | ", after: "" },
    pipe: "|",
  },
} as const;

/** A page's content as Markdown or as text, in one walk. Special characters in running text are not escaped: a model reads it, no renderer does. */
export function renderContent({ node, skips }: MainContent, as: "markdown" | "text", addresses: PageLinks): Rendered {
  const style = STYLES[as];
  let out = new LineWriter(MOST_CHARACTERS);
  let items = 0;

  const children = (parent: HtmlNode): void => {
    for (const child of parent.children ?? []) {
      if (child.type === "text") out.text(child.data ?? "");
      else if (isElement(child) && !UNSEEN.has(child.name) && !skips(child)) element(child);
      if (out.full) return;
    }
  };

  const element = (el: HtmlElement): void => {
    if (Object.hasOwn(SPECIAL, el.name)) SPECIAL[el.name]!(el);
    else if (Object.hasOwn(style.marks, el.name)) marked(el, style.marks[el.name]!, style.marks[el.name]!);
    else block(el, GAPS.get(el.name));
  };

  const block = (el: HtmlElement, gap: 1 | 2 | undefined): void => {
    if (gap) out.block(gap);
    children(el);
    if (gap) out.block(gap);
  };

  const marked = (el: HtmlElement, before: string, after: string): void => {
    const mark = out.open(before, after);
    children(el);
    out.close(mark);
  };

  const heading = (el: HtmlElement): void => {
    out.block(2);
    out.within("", style.heading(Number(el.name[1])), () => children(el));
    out.block(2);
  };

  const list = (el: HtmlElement): void => {
    const outer = items;
    out.block(outer > 0 ? 1 : 2);
    let number = el.name === "ol" ? Number.parseInt(el.attribs.start ?? "1", 10) || 1 : null;
    items++;
    for (const child of el.children) {
      if (!isElement(child) || UNSEEN.has(child.name) || skips(child)) continue;
      if (child.name !== "li") {
        element(child);
        continue;
      }
      const bullet = number === null ? "- " : `${number++}. `;
      out.block(1);
      out.within(" ".repeat(bullet.length), bullet, () => children(child));
      out.block(1);
    }
    items = outer;
    out.block(outer > 0 ? 1 : 2);
  };

  const link = (el: HtmlElement): void => {
    const href = el.attribs.href;
    const to = style.links === "written" && href !== undefined && !href.startsWith("#") ? addresses.link(href) : null;
    // The sign beside a heading that links to itself.
    if (href?.startsWith("#") && el.children.length === 1 && /^[\s#¶§🔗]*$/u.test(el.children[0]?.data ?? "x")) return;
    if (to === null) children(el);
    else marked(el, "[", `](${to.replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"))})`);
  };

  const pre = (el: HtmlElement): void => {
    const code = codeOf(el, skips).replace(/\r\n?/g, "\n").replace(/^\n+/, "").trimEnd();
    if (code === "") return;
    out.block(2);
    if (style.fence === "left out") out.lines(code);
    else {
      const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).slice(0, 1000).map(({ length }) => length));
      const fence = "`".repeat(Math.min(longest, 100) + 1);
      out.lines(`${fence}${languageOf(el)}\n${code}\n${fence}`);
    }
    out.block(2);
  };

  const table = (el: HtmlElement): void => {
    const rows = rowsOf(el, skips, (cell) => aside(() => children(cell)));
    const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
    out.block(2);
    for (const { caption } of rows) if (caption !== undefined) out.text(caption);
    out.block(2);
    const { before, between, after } = style.cells;
    const line = (cells: readonly string[]) => out.lines(`${before}${cells.join(between)}${after}`);
    const full = ({ cells }: TableRow) => [...cells, ...Array<string>(width - cells.length).fill("")];
    for (const [n, row] of rows.filter(({ cells }) => cells.some((cell) => cell !== "")).entries()) {
      out.block(1);
      line(full(row));
      out.block(1);
      if (n === 0 && as === "markdown") line(Array<string>(width).fill("---"));
    }
    out.block(2);
  };

  /** On one line, for a cell. */
  const aside = (write: () => void): string => {
    const outer = out;
    out = new LineWriter(20_000);
    write();
    const text = squeezeBlanks(out.toString()).replaceAll("|", style.pipe);
    out = outer;
    return text;
  };

  const SPECIAL: Record<string, (el: HtmlElement) => void> = {
    ...Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((name) => [name, heading])),
    ul: list,
    ol: list,
    menu: list,
    a: link,
    pre,
    table: (el) => (isDataTable(el) ? table(el) : block(el, 2)),
    br: () => out.block(1),
    hr() {
      out.block(2);
      if (style.rule !== "") out.lines(style.rule);
      out.block(2);
    },
    img: ({ attribs: { alt = "" } }) => out.text(alt.slice(0, 1000)),
    blockquote(el) {
      out.block(2);
      out.within(style.quote, style.quote, () => children(el));
      out.block(2);
    },
    dd(el) {
      out.block(1);
      out.within("  ", "  ", () => children(el));
      out.block(1);
    },
    sup(el) {
      // 10⁶ must not read as 106, nor a footnote as part of a number.
      out.text("^");
      children(el);
    },
    math(el) {
      out.text(el.attribs.alttext ?? visibleText(el));
    },
  };

  if (isElement(node)) element(node);
  else children(node);
  return { text: out.toString().trim(), cut: out.full };
}

const ONE =
  "tr dt div section article main header form fieldset center address figcaption summary legend label option tbody thead tfoot".split(" ");
const TWO = "p figure details dl".split(" ");
const GAPS = new Map<string, 1 | 2>([...ONE.map((name) => [name, 1] as const), ...TWO.map((name) => [name, 2] as const)]);

function codeOf(node: HtmlNode, skips: (el: HtmlElement) => boolean): string {
  let text = "";
  for (const child of node.children ?? []) {
    if (child.type === "text") text += child.data ?? "";
    else if (isElement(child) && child.name === "br") text += "\n";
    else if (isElement(child) && !UNSEEN.has(child.name) && !skips(child)) text += codeOf(child, skips);
  }
  return text;
}

function languageOf(el: HtmlElement): string {
  const code = el.children.find((child) => child.name === "code");
  const classes = `${el.attribs.class ?? ""} ${code?.attribs?.class ?? ""}`.slice(0, 500);
  return /(?:^|\s)(?:language|lang|highlight-source|brush:)[-\s]?([a-z0-9+#-]{1,20})(?=$|\s|;)/i.exec(classes)?.[1] ?? "";
}
