import { createHash } from "node:crypto";
import type { TrustRecords } from "../../core/ports/store.ts";

/** Commands a person allowed for good, kept by their hash beside what else they vouched for. */
export function createAllowedCommands(trust: TrustRecords): { has(key: string): boolean; add(key: string): void } {
  return {
    has: (key) => trust.get(subject(key)) !== null,
    add: (key) => void trust.set(subject(key), key).catch(() => {}),
  };
}

const subject = (key: string) => `command ${createHash("sha256").update(key).digest("hex")}`;
