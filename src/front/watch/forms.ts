import { type Html, html } from "./html.ts";
import type { WatchRequest } from "./watch-route.ts";

/** A form without it is refused: only a page of ours, given to this reader, has the right one. */
export const FORM_MARK = "mark";

export const formMark = ({ mark }: Pick<WatchRequest, "mark">): Html => html`<input type="hidden" name="${FORM_MARK}" value="${mark}">`;
