import { attempt } from "../../text/attempt.ts";
import { firstElement, type HtmlNode } from "./tree.ts";

/** Makes the links of a page absolute. */
export interface PageLinks {
  /** null for what leads nowhere a page can be read: scripts, mail, data. */
  link(href: string): string | null;
  /** Every scheme as it is; only what is relative is resolved. */
  resolve(href: string): string;
}

const LONGEST = 2048;

/** `<base href>` counts, as in a browser. */
export function createPageLinks(root: HtmlNode, url: string): PageLinks {
  const base = absolute(firstElement(firstElement(root, "head") ?? root, "base")?.attribs.href ?? "", url) ?? url;
  const origin = /^https?:\/\/[^/?#]+/i.exec(base)?.[0];
  return {
    link(href) {
      const found = plainly(href, origin) ?? absolute(href, base);
      return found !== null && /^https?:/i.test(found) && found.length <= LONGEST ? found : null;
    },
    resolve: (href) => absolute(href, base) ?? href,
  };
}

const PLAIN = /^[!#$%&'*+,./0-9:;=?@A-Z_a-z~-]+$/;
/** Most links need no parser, and it is the slowest part of a page full of them. */
function plainly(href: string, origin: string | undefined): string | null {
  if (!PLAIN.test(href) || href.includes("/.")) return null;
  if (href.startsWith("https://") || href.startsWith("http://")) return href;
  return origin !== undefined && href.startsWith("/") && !href.startsWith("//") ? origin + href : null;
}

const absolute = (href: string, base: string): string | null => attempt(() => new URL(href.trim(), base).href, null);
