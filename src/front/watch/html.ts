/** A piece of a page. It can only be made by `html`, which escapes what is put into it. */
export class Html {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }
  /** For this file alone: everything else goes through `html`. */
  static of(text: string): Html {
    return new Html(text);
  }
  toString(): string {
    return this.#text;
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** html`<b>${name}</b>`: whatever is put in is escaped, unless it is Html itself. Null, undefined and false are nothing. Attributes stand in quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.of(parts.reduce((text, part, n) => text + written(values[n - 1]) + part));
}

function written(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.toString();
  if (typeof value === "object") return value.map(written).join("");
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Control characters, and those that hide or turn around what is there. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** What a browser would obey or not draw is shown as a dot. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!).replace(UNSEEN, "·");
