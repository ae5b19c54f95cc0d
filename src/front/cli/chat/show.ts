import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { GlobalSettings } from "../runtime.ts";
import { prose } from "../terminal/terminal.ts";
import { type CallOutput, callOutputText } from "./call-outputs.ts";
import type { SlashContext } from "./slash.ts";

/** `/show`: all that a call came to, also where the model saw a part of it. */
export async function show({ outputs, settings, terminal: { stdout, out } }: SlashContext, rest: string): Promise<number> {
  const range = outputs!.range();
  if (rest === "thinking") {
    const thoughts = outputs!.thoughts();
    if (thoughts === "") throw new UsageError("The model did not show what it thought.");
    stdout.write(`${out.dim(prose(visible(thoughts).replace(/\n$/, ""), stdout))}\n`);
    return EXIT.ok;
  }
  if (rest !== "" && !/^\d{1,9}$/.test(rest))
    throw new UsageError(`"${rest}" is not the number of a call. Type /show, /show 3 or /show thinking.`);
  if (range === null) throw new UsageError("No tool was called yet.");
  const found = outputs!.get(rest === "" ? undefined : Number(rest));
  if (!found) throw new UsageError(`Call ${rest} is not kept. Calls ${range[0]} to ${range[1]} are.`);
  const kept = await readWholeOutput(found, settings);
  stdout.write(callOutputText(kept === null ? found : { ...found, text: kept }, out));
  if (found.part && kept === null) stdout.write(`${out.dim(prose(partText(found.part.id), stdout))}\n`);
  return EXIT.ok;
}

const partText = (id: string): string =>
  `The model saw only this part. \`zeph filter --raw ${id}\` prints the whole text, if it is still kept.`;

/** From where long texts are kept; null when this is all there is, or the rest cannot be had. */
export async function readWholeOutput({ part }: CallOutput, settings: GlobalSettings): Promise<string | null> {
  if (!part) return null;
  const { openFilterDesk } = await import("../../../runtime/filter/standalone-filter.ts");
  try {
    const kept = await whileOpen(openFilterDesk(process.cwd(), settings), (desk) => desk.find(part.id));
    return kept && isOf(part, kept) ? kept.text : null;
  } catch {
    // The store is busy or gone. What there is is shown.
    return null;
  }
}

/** `raw#n` are counted for each conversation, and another one may have the same: this one has so many lines, and is of this run. */
function isOf(
  { id, lines }: NonNullable<CallOutput["part"]>,
  { text, createdAt }: { readonly text: string; readonly createdAt: number },
): boolean {
  if (!id.startsWith("raw#")) return true;
  return createdAt >= performance.timeOrigin && Math.abs(text.split("\n").length - (lines ?? 0)) <= 1;
}
