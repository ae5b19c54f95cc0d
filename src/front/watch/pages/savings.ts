import type { SavedSum } from "../../../core/ports/printed/savings.ts";
import { grouped } from "../../../text/words.ts";
import { shareAmount, shortAmount, sizeAmount } from "../amounts.ts";
import { type Html, html } from "../html.ts";
import { numberIn } from "../parts/paging.ts";
import {
  CHARS_OF_TOKEN,
  dailySavings,
  daysSince,
  lastDays,
  type ShownSum,
  savedTokens,
  sumSavings,
  topKinds,
} from "../parts/savings-sums.ts";
import { barLegend, dayText, shareBar, stackedBars } from "../parts/stacked-bars.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRoute } from "../watch-route.ts";

const CHOICES = [7, 14, 30, 90];
const USUAL_DAYS = 14;
const USUAL_PRICE = 3;
const COLOURS = 4;

export const savingsRoute: WatchRoute = {
  method: "GET",
  path: "/savings",
  title: "Savings",
  async render({ savings }, { path, query, now }) {
    const days = numberIn(query, "days", { usual: USUAL_DAYS, least: 1, most: 366 });
    const price = priceIn(query);
    const rows = await savings.rows(daysSince(now, days));
    const chosen = choices(path, query, days);
    const lead = html`What commands printed and a model did not have to read, in the last ${days} days. A token is counted as ${CHARS_OF_TOKEN} characters.`;
    const table = createTable({ name: "savings", caption: "Savings by day, command and rule", columns: EXPORTED, rows, empty: "" });
    if (rows.length === 0) return { lead, table, body: html`${chosen}${NOTHING}` };
    return {
      lead,
      table,
      body: html`${chosen}${totals(rows, price)}${plot(rows, lastDays(now, days))}${tables(rows)}${exportLinks(path, query)}`,
    };
  },
};

const NOTHING = html`<div class="panel"><p class="empty">Nothing was saved in these days. Each command whose output a filter shortens for a model adds to it: <code>npm test</code>, <code>git log</code> and the like.</p></div>`;

function priceIn(query: URLSearchParams): number {
  const text = query.get("price") ?? "";
  const value = Number(text);
  return /^\d{1,4}(?:\.\d{1,4})?$/.test(text) && value > 0 ? value : USUAL_PRICE;
}

function choices(path: string, query: URLSearchParams, days: number): Html {
  const to = (count: number) => {
    const all = new URLSearchParams(query);
    all.set("days", String(count));
    all.delete("format");
    return `${path}?${all}`;
  };
  return html`<p class="choices" role="group" aria-label="How many days">${CHOICES.map(
    (count) => html`<a href="${to(count)}"${count === days && html` aria-current="true"`}>${count} days</a>`,
  )}</p>`;
}

function totals(rows: readonly SavedSum[], price: number): Html {
  const [all] = sumSavings(rows, () => "all");
  const { full, partial, fallback, rawChars, chars } = all!;
  const tokens = savedTokens(all!);
  const dollars = (tokens / 1e6) * price;
  return html`<div class="grid"><div class="panel stat"><div class="n">${shortAmount(tokens)} <small>tokens</small></div><div class="l">not sent to a model</div></div>
<div class="panel stat"><div class="n">${shareAmount(rawChars - chars, rawChars)}</div><div class="l">of ${sizeAmount(rawChars)} that commands printed</div></div>
<div class="panel stat"><div class="n"><abbr title="full: a rule knew the whole output">F</abbr> ${grouped(full)} <small><abbr title="partial: a rule knew a part of it">P</abbr> ${grouped(partial)} · <abbr title="fallback: no rule knew it">B</abbr> ${grouped(fallback)}</small></div><div class="l">how sure the filter was: full, partial, fallback</div></div>
<div class="panel stat"><div class="n">$${dollars.toFixed(dollars < 100 ? 2 : 0)}</div><div class="l">at $${price} for a million tokens, each read once</div></div></div>`;
}

function plot(rows: readonly SavedSum[], days: readonly string[]): Html {
  const kinds = topKinds(rows, COLOURS);
  const daily = dailySavings(rows, days, kinds);
  const total = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0);
  const byDay = createTable({
    name: "days",
    caption: "Tokens saved each day, by command",
    columns: [
      { head: "day", key: "day", value: ({ day }) => day },
      ...kinds.map(
        (kind, at): Column<(typeof daily)[number]> => ({
          head: kind,
          key: kind,
          value: ({ values }) => shortAmount(values[at]!),
          look: "num",
        }),
      ),
      { head: "all", key: "all", value: ({ values }) => shortAmount(total(values)), look: "num" },
    ],
    rows: daily,
    empty: "",
  });
  const label = `Tokens saved each day, by command, from ${dayText(days[0]!)} to ${dayText(days.at(-1)!)}. The same numbers are in the table below.`;
  return html`<h2>Tokens saved each day, by command</h2><div class="panel pad">${barLegend(kinds)}${stackedBars(daily, kinds, label)}<details class="fold"><summary>The same as a table</summary>${byDay.html()}</details></div>`;
}

function tables(rows: readonly SavedSum[]): Html {
  const by = (name: string, head: string, nameOf: (row: SavedSum) => string) =>
    createTable({
      name,
      caption: `Savings by ${head}`,
      columns: sumColumns(head),
      rows: sumSavings(rows, nameOf).slice(0, MOST_SUMS),
      empty: "",
    }).html();
  return html`<h2>By command</h2>${by("commands", "command", ({ kind }) => kind)}<h2>By rule</h2>${by("rules", "rule", ({ rule }) => rule ?? NO_RULE)}`;
}
const MOST_SUMS = 200;
const NO_RULE = "no rule of its own";

const share = ({ rawChars, chars }: ShownSum) => (rawChars === 0 ? 0 : (rawChars - chars) / rawChars);
const sumColumns = (head: string): readonly Column<ShownSum>[] => [
  { head, key: head, value: ({ name }) => name, look: "mono" },
  { head: "uses", key: "uses", value: ({ uses }) => uses, cell: ({ uses }) => grouped(uses), look: "num" },
  { head: "F", key: "full", value: ({ full }) => full, look: "num", isExtra: true },
  { head: "P", key: "partial", value: ({ partial }) => partial, look: "num", isExtra: true },
  { head: "B", key: "fallback", value: ({ fallback }) => fallback, look: "num", isExtra: true },
  { head: "printed", key: "raw_chars", value: ({ rawChars }) => rawChars, cell: ({ rawChars }) => sizeAmount(rawChars), look: "num" },
  { head: "sent", key: "chars", value: ({ chars }) => chars, cell: ({ chars }) => sizeAmount(chars), look: "num" },
  {
    head: "tokens saved",
    key: "tokens",
    value: (sum) => Math.round(savedTokens(sum)),
    cell: (sum) => shortAmount(savedTokens(sum)),
    look: "num",
  },
  {
    head: "saved",
    key: "share",
    value: (sum) => Math.round(share(sum) * 1000) / 1000,
    cell: (sum) => html`<span class="shared">${Math.round(share(sum) * 100)} % ${shareBar(share(sum))}</span>`,
    look: "num",
  },
];

const EXPORTED: readonly Column<SavedSum>[] = [
  { head: "day", key: "day", value: ({ day }) => day },
  { head: "command", key: "kind", value: ({ kind }) => kind },
  { head: "rule", key: "rule", value: ({ rule }) => rule },
  { head: "confidence", key: "confidence", value: ({ confidence }) => confidence },
  { head: "uses", key: "uses", value: ({ uses }) => uses },
  { head: "printed", key: "raw_chars", value: ({ rawChars }) => rawChars },
  { head: "sent", key: "chars", value: ({ chars }) => chars },
];
