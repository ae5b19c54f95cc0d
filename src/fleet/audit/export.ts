import type { Pg } from "../../store/pg/pg.ts";
import { isRecord, parseJson } from "../../text/json.ts";
import { type ArrivedRow, arrivedLines } from "./line-pages.ts";

/** The copies of a tenant in the order in which they came, as JSON lines, a page at a time. */
export async function* exportLines(db: Pg, since: Date | null): AsyncGenerator<string> {
  for await (const page of arrivedLines(db, since ?? new Date(0))) yield page.map(exported).join("");
}

/** The entry is the text of the line, unchanged: its hash is that of what stands between `"entry":` and the last brace. */
function exported({ writer, n, at, hash, line, raw }: ArrivedRow): string {
  const entry = raw
    ? `"raw":"${Buffer.from(raw).toString("base64")}"`
    : isRecord(parseJson(line))
      ? `"entry":${line}`
      : `"text":${JSON.stringify(line)}`;
  return `${JSON.stringify({ writer, n, at, hash }).slice(0, -1)},${entry}}\n`;
}
