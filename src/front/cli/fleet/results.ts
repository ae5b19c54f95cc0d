import { once } from "node:events";
import type { FleetTaskState } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { batchExit, countsText, resultJson, resultLine } from "./batch-text.ts";
import { withFleet } from "./with-fleet.ts";

const PAGE = 500;
const MOST = 100_000_000;

/** `zeph fleet results <batch>`: in the order of the lines, a page at a time. */
export async function fleetResults(given: Invocation): Promise<number> {
  const { words, flags, terminal } = given;
  const [batch, more] = words;
  if (batch === undefined || more !== undefined) throw new UsageError("Say of which batch: zeph fleet results <batch>.");
  const state = flags.state as FleetTaskState | undefined;
  const most = flags.limit === undefined ? MOST : wholeNumber("--limit", flags.limit, { least: 1, most: MOST });
  const { signal } = listenForStop();
  return withFleet(given, async ({ queue }) => {
    const { counts } = await queue.status({ batch });
    if (state !== undefined && !(state in counts))
      throw new UsageError(`--state ${state}: it is one of ${Object.keys(counts).join(", ")}.`);
    if (Object.values(counts).every((count) => count === 0)) throw new UsageError(`There is no batch ${visible(batch)}.`);
    let refused = 0;
    let shown = 0;
    for (let after: number | null = 0; after !== null && shown < most && !signal.aborted; ) {
      const page = await queue.results(batch, after, PAGE);
      for (const one of page.results) {
        if (one.state === "done" && one.result?.ok === false) refused++;
        // With --json only the counts are printed.
        if (flags.json || (state !== undefined && one.state !== state) || shown === most) continue;
        shown++;
        const text = flags.jsonl ? jsonLine(resultJson(one)) : resultLine(one, terminal);
        if (!terminal.stdout.write(text)) await once(terminal.stdout, "drain", { signal }).catch(() => {});
      }
      after = page.next;
    }
    if (signal.aborted) return EXIT.cancelled;
    if (flags.json) terminal.stdout.write(jsonLine({ batch, tasks: counts }));
    else (flags.jsonl ? terminal.stderr : terminal.stdout).write(`${countsText(counts)}\n`);
    return batchExit(counts, refused);
  });
}
