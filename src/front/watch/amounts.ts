import { type Html, html } from "./html.ts";

/** `912`, `3.4k`, `56k`, `2.0M`: for counts of tokens and characters. */
export function shortAmount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** `512 B`, `34 kB`, `1.2 MB` */
export function sizeAmount(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `7 ms`, `1.3 s`, `4 min 10 s`; nothing where it is not known. */
export function tookAmount(ms: number | undefined): string {
  if (ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `7.8 %`; nothing where there is no whole. */
export const shareAmount = (part: number, whole: number): string => (whole === 0 ? "" : `${((part / whole) * 100).toFixed(1)} %`);

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (count: number) => String(count).padStart(2, "0");

/** `15 Nov 22:01:47`, in the time of this machine. What is no time is shown as it is. */
export function momentText(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The moment, with the whole of it for programs and as a title. */
export function momentTag(at: number | string): Html {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return html`${String(at)}`;
  return html`<time datetime="${date.toISOString()}" title="${date.toISOString()}">${momentText(at)}</time>`;
}

/** `12 s ago`; the script of the page keeps it true. */
export const agoTag = (since: number, now: number): Html => html`<span data-since="${since}">${agoText(since, now)}</span>`;

export function agoText(since: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`;
}
