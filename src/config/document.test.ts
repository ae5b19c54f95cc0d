import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { configJsonSchema, starterToml } from "./document.ts";
import { parseConfig } from "./load.ts";
import { configSchema } from "./schema.ts";
import { allSettings } from "./settings.ts";
import { schemaAt, valueAtPath } from "./shape.ts";

const uncommented = () => starterToml().replace(/^#(?=[\w[])/gm, "");

test("the JSON Schema knows every key and lets no other in", () => {
  const schema: any = configJsonSchema();
  expect(schema).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Zeph configuration",
    additionalProperties: false,
  });
  for (const { path, description } of allSettings()) {
    const found = valueAtPath(
      schema,
      path.flatMap((part) => ["properties", part]),
    );
    expect(found).toMatchObject({ description });
    expect(found).not.toHaveProperty("tighter");
  }
});

test("the starter file changes nothing as it is", () => {
  const world = scratch();
  world.user(starterToml());
  expect(world.load().config).toEqual(scratch().load().config);
});

test("the starter file holds every key, and with every # removed it is valid and says the defaults", () => {
  const data = parse(uncommented());
  const config = parseConfig(data);
  for (const { key, path, default: standard } of allSettings()) {
    expect(valueAtPath(data, path), key).not.toBeUndefined();
    if (standard !== undefined && key !== "tools.permissions" && key !== "hooks") expect(valueAtPath(config, path)).toEqual(standard);
  }
  expect(config.tools.permissions.bash).toHaveLength(2);
});

test("a path leads through the schema to what stands there", () => {
  expect(schemaAt(configSchema(), ["tools", "permissions", "x", 0, "action"])?._zod.def.type).toBe("enum");
  expect(schemaAt(configSchema(), ["tools", "toString"])).toBeUndefined();
});
