import { type Html, html } from "../html.ts";

const TABS = [
  ["/kept", "Whole outputs"],
  ["/conversations", "Conversations"],
] as const;

/** The two lists below the entry "Kept" of the navigation. */
export const keptTabs = (path: string): Html =>
  html`<p class="choices">${TABS.map(([to, name]) => html`<a href="${to}"${to === path && html` aria-current="page"`}>${name}</a>`)}</p>`;
