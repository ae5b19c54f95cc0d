import { readdirSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../src/config/schema.ts";
import { allSettings } from "../src/config/settings.ts";
import { schemaAt } from "../src/config/shape.ts";

const FOLDER = join(import.meta.dirname, "../src/gates");

/** Every setting of a slice that a file of `gates/` exports. */
export async function gateSettings(): Promise<readonly string[]> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  const slices = new Set<unknown>();
  for (const file of files)
    for (const [name, value] of Object.entries(await import(/* @vite-ignore */ join(FOLDER, file))))
      if (name.endsWith("Config")) slices.add((value as () => unknown)());
  return allSettings()
    .filter(({ path }) => path.some((_, n) => slices.has(schemaAt(configSchema(), path.slice(0, n + 1)))))
    .map(({ key }) => key);
}
