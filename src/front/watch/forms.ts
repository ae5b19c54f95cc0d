import { type Html, type HtmlValue, html } from "./html.ts";
import type { WatchRequest } from "./watch-route.ts";

/** A form without it is refused: only a page of ours, given to this reader, has the right one. */
export const FORM_MARK = "mark";

export const formMark = ({ mark }: Pick<WatchRequest, "mark">): Html => html`<input type="hidden" name="${FORM_MARK}" value="${mark}">`;

/** A button that posts. `fields` are hidden. */
export const postButton = (
  request: Pick<WatchRequest, "mark">,
  {
    action,
    label,
    fields = {},
    look = "",
  }: {
    readonly action: string;
    readonly label: HtmlValue;
    readonly fields?: Readonly<Record<string, string>>;
    readonly look?: "" | "main" | "danger";
  },
): Html =>
  html`<form method="post" action="${action}" class="inline">${formMark(request)}${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="${look}">${label}</button></form>`;
