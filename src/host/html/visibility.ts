import type { HtmlElement } from "./tree.ts";

/** Whether the element says of itself that nobody sees it. Style sheets are not read, only what stands in the tag. */
export function isHidden({ attribs }: HtmlElement): boolean {
  if (attribs.hidden !== undefined && attribs.hidden !== "until-found") return true;
  if (attribs["aria-hidden"] === "true") return true;
  return attribs.style !== undefined && hides(attribs.style);
}

function hides(style: string): boolean {
  // A comment that never ends reaches to the end, so each sign is looked at once.
  const written = style.includes("/*") ? style.replace(/\/\*.*?(?:\*\/|$)/gs, "") : style;
  let isFlat = false;
  let isClipped = false;
  for (const declaration of written.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, Math.max(colon, 0)).trim();
    const value = declaration.slice(colon + 1).trim();
    if (Object.hasOwn(HIDING, name) && HIDING[name]!(value)) return true;
    isFlat ||= FLAT.has(name) && isZero(value);
    isClipped ||= OVERFLOW.has(name) && /^(?:hidden|clip)\b/.test(value);
  }
  return isFlat && isClipped;
}

const isZero = (value: string): boolean => Number.parseFloat(value) === 0;
const isFarOff = (value: string): boolean => /^-\d{3}/.test(value);

/** What each property must say to hide everything. */
const HIDING: Record<string, (value: string) => boolean> = {
  display: (value) => /^none\b/.test(value),
  visibility: (value) => /^(?:hidden|collapse)\b/.test(value),
  opacity: isZero,
  "font-size": isZero,
  left: isFarOff,
  top: isFarOff,
  "text-indent": isFarOff,
  clip: isEmptyRectangle,
};
const FLAT = new Set(["height", "width", "max-height", "max-width"]);
const OVERFLOW = new Set(["overflow", "overflow-x", "overflow-y"]);

/** `rect(top, right, bottom, left)`; many a picture is clipped to something that can be seen. */
function isEmptyRectangle(value: string): boolean {
  if (!value.startsWith("rect(")) return false;
  const [top, right, bottom, left] = value
    .slice(5, 100)
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number.parseFloat);
  return bottom! <= top! || right! <= left!;
}
