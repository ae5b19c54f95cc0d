import { parseConfig } from "../src/config/load.ts";

const { scrape, diagnostics } = parseConfig({}).tools;

/** What a local host needs besides files and commands, for tests that go nowhere. */
export const NOWHERE = {
  web: { config: scrape, cache: { enabled: false, ttlSecs: 0 }, wires: undefined, onEgress: () => {}, mayFollow: async () => null },
  diagnostics,
  forbids: async () => null,
};
