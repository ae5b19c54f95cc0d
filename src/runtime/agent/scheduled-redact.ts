import type { Loaded } from "../../config/load.ts";
import { openFilter } from "../filter/filter.ts";

/** What a person hands over on the command line is stored without secrets, like everything else. */
export async function deskRedact(
  { config, userFile }: Pick<Loaded, "config" | "userFile">,
  home: string,
): Promise<(text: string) => string> {
  return (await openFilter(config.tools.filters, { userFile, home })).redact;
}
