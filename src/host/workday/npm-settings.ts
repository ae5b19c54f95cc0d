import { isWithin } from "../../text/path.ts";
import { CERTIFICATE_PLACES } from "./variables.ts";

const KEPT = new Set(
  `registry cafile strict-ssl save-exact save-prefix save engine-strict legacy-peer-deps strict-peer-deps fund audit omit include prefer-offline
  prefer-dedupe fetch-timeout loglevel progress update-notifier package-lock ignore-scripts install-links node-linker hoist shamefully-hoist
  auto-install-peers strict-peer-dependencies link-workspace-packages prefer-workspace-packages resolution-mode init-license init-version color`.split(
    /\s+/,
  ),
);
const LONGEST = 1000;
const MOST_LINES = 500;

/** The person's npm settings that say how and from where. None that say who: a line for one registry may be its token, and so may a part of an address. */
export const keptNpmSettings = (text: string): string =>
  text
    .split(/\r?\n/)
    .slice(0, MOST_LINES)
    .flatMap((line) => {
      const [, key, value] = /^\s*([@\w.:/-]+)\s*=\s*(.*?)\s*$/.exec(line.slice(0, LONGEST)) ?? [];
      return key !== undefined && value !== undefined && isKept(key, value.replace(/^(["'])(.*)\1$/, "$2")) ? [`${key}=${value}\n`] : [];
    })
    .join("");

function isKept(key: string, value: string): boolean {
  const isRegistry = key === "registry" || /^@[\w.-]+:registry$/.test(key);
  if (isRegistry) return /^https?:\/\/[^@?#\s]+$/.test(value);
  if (key === "cafile") return CERTIFICATE_PLACES.some((root) => isWithin(root, value)) && !value.includes("..");
  return KEPT.has(key) && !/:\/\/|\$\{/.test(value);
}
