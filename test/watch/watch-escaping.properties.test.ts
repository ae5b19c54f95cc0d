import { load } from "cheerio";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { pageFrame } from "../../src/front/watch/page-frame.ts";
import { liveRow } from "../../src/front/watch/parts/call-columns.ts";
import { questionCard } from "../../src/front/watch/parts/question-card.ts";
import { WATCH_ROUTES } from "../../src/front/watch/routes.ts";
import { createTable } from "../../src/front/watch/tables.ts";
import type { WatchRequest } from "../../src/front/watch/watch-route.ts";
import { visible } from "../../src/text/visible.ts";
import { createMemorySources, sampleQuestion } from "./memory-sources.ts";

/** Would be an element or an attribute of its own wherever a page forgot to escape. */
const HOSTILE = [
  `<zz-x zz-y=1>`,
  `" zz-y="1`,
  `' zz-y='1`,
  ` zz-y=1 `,
  `</title></pre></textarea></script><zz-x>`,
  `--><zz-x><!--`,
  `&lt;zz-x&gt;`,
  `]]><zz-x>`,
];
const PIECES = [
  "<",
  ">",
  '"',
  "'",
  "&",
  "/",
  "=",
  "`",
  " ",
  "\n",
  "\u0000",
  "\u001b",
  "\u202e",
  "\u200b",
  "\u2028",
  "\ud800",
  "x",
  "javascript:",
];
const hostile = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }),
    fc.constantFrom(...HOSTILE),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }),
  )
  .map(([before, word, after]) => [...before, word, ...after].join(""));
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

function expectNoMarkup(page: string): void {
  const seen = load(page);
  expect(seen("zz-x")).toHaveLength(0);
  const names = seen("*")
    .toArray()
    .flatMap((one) => ("attribs" in one ? Object.keys(one.attribs) : []));
  expect(names.filter((name) => name.includes("zz") || /[^\w-]/.test(name))).toEqual([]);
  const links = seen("[href]")
    .toArray()
    .map((one) => seen(one).attr("href")!);
  expect(links.filter((link) => !/^(?:\/(?!\/)|#|data:,$)/.test(link))).toEqual([]);
  expect(page).not.toMatch(UNSEEN);
}

it("no value of any page becomes markup, whatever it is", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (word) => {
      const text = (plain: string) => (plain === "" ? word : `${plain}${word}`);
      const sources = createMemorySources(text);
      sources.ask(sampleQuestion(text, `asked-1${word}`));
      await sources.log.verify();
      const given = {
        query: new URLSearchParams({ q: word, session: word, tool: word, gate: word, outcome: word, caller: word }),
        form: new URLSearchParams(),
      };
      const request: Omit<WatchRequest, "words" | "path"> = {
        ...given,
        rights: { answer: true },
        mark: "mark",
        person: word,
        now: Date.now(),
        signal: new AbortController().signal,
      };
      for (const route of WATCH_ROUTES.filter(({ method }) => method === "GET"))
        for (const query of [request.query, new URLSearchParams()]) {
          const asked = { ...request, query, path: route.path, words: route.path.includes("*") ? ["call-4"] : [] };
          const reply = await route.render(sources, asked);
          if (!("body" in reply)) continue;
          const { title = route.title, lead, body } = reply;
          const frame = {
            path: route.path,
            title,
            lead,
            body,
            facts: await sources.facts(),
            check: sources.log.lastCheck(),
            rights: request.rights,
            waiting: 1,
          };
          expectNoMarkup(String(pageFrame(frame)));
        }
      expectNoMarkup(`<div>${questionCard(sampleQuestion(text, word), request)}</div>`);
      const { calls } = await sources.log.find({ from: 0, limit: 7 });
      expectNoMarkup(`<table><tbody>${calls.map(liveRow).join("")}</tbody></table>`);
    }),
    { numRuns: 20 },
  );
});

it("no cell of a CSV begins like a formula or leaves its place, whatever it holds", () => {
  const cell = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc
      .array(
        fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", " ", "1", "\u0000", "\u001b", "\u009b", "\u202e", "\u{e0001}"),
        { maxLength: 6 },
      )
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 }), (rows) => {
      const columns = [0, 1].map((n) => ({ head: `h${n}`, key: `k${n}`, value: (row: readonly [string, string]) => row[n]! }));
      const table = createTable({ name: "t", caption: "t", columns, rows, empty: "none" });
      const read = readCsv(table.csv());
      expect(read[0]).toEqual(["k0", "k1"]);
      expect(read.slice(1).map((row) => row.map((one) => one.replace(/^'/, "")))).toEqual(
        rows.map((row) => row.map((one) => visible(one).replace(/^'/, ""))),
      );
      for (const one of read.flat()) expect(one).not.toMatch(/^[\s\0]*[=+\-@]/);
      for (const text of [table.csv().replaceAll("\r\n", ""), table.jsonl()]) expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\u202e\u{e0001}]/u);
      expect(
        table
          .jsonl()
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual(rows.map(([k0, k1]) => ({ k0, k1 })));
    }),
    { numRuns: 60 },
  );
});

/** As RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  const form = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  for (let found = form.exec(text); found; found = form.exec(text)) {
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === ",") continue;
    rows.push(row);
    row = [];
    if (form.lastIndex === text.length) return rows;
  }
  throw new Error(`No CSV: ${JSON.stringify(text)}`);
}
