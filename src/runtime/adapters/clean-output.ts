import { isRecord } from "../../text/json.ts";

const WITHHELD = "zeph: this output could not be searched for secrets, so it is withheld.";
/** Deeper, or with more in it, is not what tools hand to a model. */
const MOST_DEPTH = 40;
const MOST_VALUES = 100_000;

/** The same value with every text in it changed; what cannot be looked through is withheld. Pictures and sound stay as they are. */
export function changeTexts(value: unknown, change: (text: string) => string): unknown {
  let values = 0;
  const walk = (one: unknown, depth: number): unknown => {
    values += 1;
    if (values > MOST_VALUES || depth > MOST_DEPTH) throw new Error("too large");
    if (typeof one === "string") return change(one);
    if (Array.isArray(one)) return one.map((inner) => walk(inner, depth + 1));
    if (isInert(one)) return one;
    // Dates and objects of classes become what a model would be sent of them.
    if (!isPlain(one)) return walk(JSON.parse(JSON.stringify(one) ?? "null"), depth + 1);
    const isMedia = ["mediaType", "mimeType", "media_type"].some((name) => /^(?:image|audio|video)\//.test(String(one[name])));
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [change(name), isMedia && name === "data" ? inner : walk(inner, depth + 1)]),
    );
  };
  try {
    return walk(value, 0);
  } catch {
    return WITHHELD;
  }
}

/** Numbers and bytes have no text in them. */
const isInert = (one: unknown): boolean =>
  one === null || ["undefined", "number", "boolean", "bigint"].includes(typeof one) || ArrayBuffer.isView(one);

const isPlain = (one: unknown): one is Record<string, unknown> =>
  isRecord(one) && [Object.prototype, null].includes(Object.getPrototypeOf(one));
