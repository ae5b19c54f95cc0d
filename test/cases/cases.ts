import { readFileSync } from "node:fs";

/** A file of JSON lines beside this one. */
export const cases = <T>(name: string): T[] =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** `PolicyBlocked` → `policy_blocked` */
export const snake = (name: string): string => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
