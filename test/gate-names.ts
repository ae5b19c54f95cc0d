import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The blocklist and every gate, in the order they are asked, as the table of docs/gates.md has them. test/docs.test.ts compares it to a runtime. */
export const gateNames = (): readonly string[] =>
  [...readFileSync(join(import.meta.dirname, "../docs/gates.md"), "utf8").matchAll(/^\| \[`(\w+)`\]\(#\1\) /gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== "hooks");
