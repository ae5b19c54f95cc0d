import { shortAmount } from "../amounts.ts";
import { type Html, html } from "../html.ts";
import type { DailySaving } from "./savings-sums.ts";

const WIDTH = 1080;
const HEIGHT = 236;
const LEFT = 54;
const BOTTOM = 24;
const TOP = 8;

/** Bars of one day each, one piece for each kind. Those who cannot see it have the same numbers as a table. */
export function stackedBars(days: readonly DailySaving[], kinds: readonly string[], label: string): Html {
  const highest = Math.max(...days.map(({ values }) => sum(values)), 1);
  const step = niceStep(highest);
  const top = Math.max(step, highest * 1.03);
  const room = HEIGHT - BOTTOM - TOP;
  const y = (value: number) => round(TOP + room * (1 - value / top));
  const slot = (WIDTH - LEFT) / days.length;
  const wide = round(Math.min(56, slot * 0.68));
  const every = Math.ceil(days.length / 16);
  const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step);
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${lines.map(
    (value) =>
      html`<line x1="${LEFT}" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}"></line><text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${shortAmount(value)}</text>`,
  )}${days.map(({ day, values }, at) => {
    const x = round(LEFT + slot * at + (slot - wide) / 2);
    let below = 0;
    const pieces = values.map((value, kind) => {
      if (value <= 0) return null;
      const from = below;
      below += value;
      const height = round(Math.max(1, y(from) - y(below) - 0.8));
      return html`<rect class="b${kind}" x="${x}" y="${y(below)}" width="${wide}" height="${height}" rx="1"><title>${dayText(day)}, ${kinds[kind]}: ${shortAmount(value)} tokens</title></rect>`;
    });
    const named = at % every === 0 && html`<text x="${round(x + wide / 2)}" y="${HEIGHT - 6}" text-anchor="middle">${dayText(day)}</text>`;
    const none =
      below === 0 &&
      html`<rect class="none" x="${x}" y="${y(0) - 1}" width="${wide}" height="1"><title>${dayText(day)}: nothing</title></rect>`;
    return html`${pieces}${none}${named}`;
  })}</svg>`;
}

export const barLegend = (kinds: readonly string[]): Html =>
  html`<div class="legend">${kinds.map((kind, at) => html`<span><i class="b${at}"></i>${kind}</span>`)}</div>`;

/** How much of a whole, as a line. The number stands beside it. */
export const shareBar = (share: number): Html =>
  html`<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="6"></rect><rect class="part" width="${round(100 * Math.min(1, Math.max(0, share)))}" height="6"></rect></svg>`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `18 Nov`. What is no day is shown as it is. */
export function dayText(day: string): string {
  const [, month, date] = /^\d{4}-(\d\d)-(\d\d)$/.exec(day) ?? [];
  return month === undefined ? day : `${Number(date)} ${MONTHS[Number(month) - 1] ?? month}`;
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const round = (value: number) => Math.round(value * 10) / 10;

/** One, two or five times a power of ten, so that there are two to five lines. */
function niceStep(highest: number): number {
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  return ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power;
}
