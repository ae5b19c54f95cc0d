import type { LlmConfig } from "../../models/config.ts";
import { defaultsOf, FOUND_BY_KEY } from "../../models/defaults.ts";

/** The variables that hold keys here: those of the known providers, and those the configuration names. */
export const keyNames = ({ providers }: LlmConfig): string[] => [
  ...new Set(
    [...FOUND_BY_KEY.map(defaultsOf), ...providers.map(({ api_key_env: keyName }) => ({ keyName }))].flatMap(
      ({ keyName }) => keyName ?? [],
    ),
  ),
];
