import type { Loaded } from "../../config/load.ts";
import type { MadeReport } from "../../front/watch/watch-sources.ts";
import { openFilter } from "../filter/filter.ts";
import { keyNames } from "../settings/key-names.ts";
import type { Desk } from "../settings/stores.ts";
import { makeSessionReport } from "./make-report.ts";
import { reportHash } from "./report-file.ts";

/** The report of a session or conversation, or what is wrong with the id. Nothing is written and nothing is run. `known` takes secrets out of diffs. */
export async function reportSession(
  wanted: string,
  { audit, conversations, at, loaded }: Pick<Desk, "audit" | "conversations" | "at" | "loaded">,
  signal: AbortSignal,
  known?: (text: string) => string,
): Promise<MadeReport | { readonly problem: string }> {
  const files = [...(await audit.tail(0)).ends.keys()];
  if (files.length === 0) return { problem: "There is no audit log yet. It begins with the first call; audit.path says where." };
  const world = {
    files,
    verify: audit.verify,
    conversations,
    preimages: at.preimages,
    redact: known ?? (await openRedaction(loaded, at.home)),
    signal,
  };
  const made = await makeSessionReport(wanted, world);
  return "problem" in made ? made : { ...made, dataHash: reportHash(made.report) };
}

/** Lines of the log have no secrets; files that were changed may. */
async function openRedaction({ config, userFile }: Loaded, home: string): Promise<(text: string) => string> {
  const filter = await openFilter(config.tools.filters, { userFile, home });
  for (const name of keyNames(config.llm)) if (process.env[name]) filter.hide(process.env[name]);
  return filter.redact;
}
