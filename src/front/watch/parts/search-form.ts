import { type Html, html } from "../html.ts";

/** A word to look for; it becomes part of the address. */
export const searchForm = (path: string, text: string, label: string): Html =>
  html`<form class="filters" role="search" action="${path}"><input type="search" name="q" value="${text}" maxlength="200" placeholder="${label}…" aria-label="${label}"><button>Search</button>${text !== "" && html`<a href="${path}">all</a>`}</form>`;
