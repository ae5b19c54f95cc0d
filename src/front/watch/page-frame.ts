import { grouped } from "../../text/words.ts";
import { type Html, type HtmlValue, html } from "./html.ts";
import { isUnder, NAVIGATION, type NavigationEntry } from "./navigation.ts";
import type { WatchRights } from "./watch-route.ts";
import type { LogCheck, WatchFacts } from "./watch-sources.ts";

export interface FrameParts {
  readonly path: string;
  readonly title: string;
  readonly lead?: HtmlValue;
  readonly body: Html;
  readonly facts: WatchFacts;
  readonly check: LogCheck | null;
  readonly rights: WatchRights;
  /** How many questions are open. */
  readonly waiting: number;
}

/** The whole page: the strip of facts, what there is to see, and the page itself. */
export const pageFrame = ({ path, title, lead, body, facts, check, rights, waiting }: FrameParts): Html => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${waiting > 0 && `(${waiting}) `}${title} · Zeph watch</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><script type="module" src="/client.js"></script></head>
<body>
<a class="skip" href="#page">To the page</a>
<header><a class="name" href="/">Zeph <small>watch</small></a>
<div class="facts">${logFact(check)}${wallsFact(facts.walls)}${fact(facts.autonomy === "full" ? "warn" : "good", "autonomy", facts.autonomy)}${fact("", "policy", facts.policy)}</div>
<div class="right"><span id="link" class="fact" role="status"><i class="dot"></i>not live</span>${rightsTag(rights)}<button id="theme" type="button" class="icon" aria-label="Light or dark" title="Light or dark (t)" hidden>◐</button></div></header>
<nav aria-label="Pages"><ul>${NAVIGATION.map((entry) => navigationLink(entry, path, waiting))}</ul><p class="where" title="${facts.workspace}">${shortPlace(facts.workspace)}</p></nav>
<main id="page" tabindex="-1"><h1>${title}</h1>${lead !== undefined && html`<p class="lead">${lead}</p>`}
${body}</main>
</body></html>`;

/** The end of a path tells the most. */
const shortPlace = (path: string): string => {
  const parts = path.split(/[\\/]/).filter((part) => part !== "");
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
};

function navigationLink(entry: NavigationEntry, path: string, waiting: number): Html {
  const { path: to, name, key } = entry;
  const count =
    to === "/" && waiting > 0 ? html`<span class="hot" id="waiting">${waiting}<span class="hidden"> open questions</span></span>` : null;
  const sign = count ?? html`<kbd${to === "/" && html` id="waiting"`}>${key}</kbd>`;
  return html`<li><a href="${to}"${isUnder(path, entry) && html` aria-current="page"`}>${name}${sign}</a></li>`;
}

const fact = (state: "good" | "warn" | "bad" | "", name: string, value: HtmlValue): Html =>
  html`<span class="fact">${state !== "" && html`<i class="dot ${state}"></i>`}<span>${name} <b>${value}</b></span></span>`;

const wallsFact = (walls: string): Html => fact(walls === "none" ? "bad" : "good", "walls", walls);

function logFact(check: LogCheck | null): Html {
  if (check === null) return html`<a class="fact" href="/log"><i class="dot"></i><span>log <b>not checked yet</b></span></a>`;
  const lines = check.files.reduce((sum, file) => sum + file.lines, 0);
  const [state, words] = check.intact ? ["good", `intact, ${grouped(lines)} lines`] : ["bad", "changed"];
  return html`<a class="fact" href="/log"><i class="dot ${state}"></i><span>log <b>${words}</b></span></a>`;
}

const rightsTag = ({ answer }: WatchRights): Html =>
  answer ? html`<span class="tag ask">may answer</span>` : html`<span class="tag off">read only</span>`;
