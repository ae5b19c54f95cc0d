import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facets } from "../src/core/facets.ts";

const FOLDER = `${import.meta.dirname}/../src/tools`;

/** The facets of our own tools by their names, as `tools/` states them: for tools that a test makes under one of these names. */
const STATED: ReadonlyMap<string, Partial<Facets>> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(FOLDER, name), "utf8"))
    .flatMap((text) => {
      const name = /defineOwnTool\(\{\s*name: "(\w+)"/.exec(text)?.[1];
      const facets = /facets: \{ (.*) \},\n/.exec(text)?.[1];
      return name && facets
        ? [[name, Object.fromEntries([...facets.matchAll(/(\w+): "(\w+)"/g)].map(([, key, value]) => [key, value]))]]
        : [];
    }),
);

export const ownFacets = (name: string): Partial<Facets> => STATED.get(name) ?? {};
export const ownToolNames = (): string[] => [...STATED.keys()].sort();
