import { expect, test } from "vitest";
import { complaints } from "./complain.ts";
import { parseConfig } from "./load.ts";
import { configSchema } from "./schema.ts";
import { allSettings, defaultConfig, readBuiltInSettings } from "./settings.ts";
import { setAtPath } from "./shape.ts";

test("the build can keep as JSON what the schema says of every setting", () => {
  const read = readBuiltInSettings();
  expect(JSON.parse(JSON.stringify(read))).toStrictEqual(read);
  expect(read.config).toStrictEqual(configSchema().parse({}));
});

test("a default that one caller changes is not another's", () => {
  defaultConfig().tools.file.deny_read.push("changed");
  expect(defaultConfig()).toStrictEqual(configSchema().parse({}));
});

test("data checked with the sections it names comes out as from the whole schema", () => {
  for (const { path, default: value } of allSettings()) {
    const data = value === undefined ? {} : setAtPath({}, path, value);
    expect(parseConfig(data)).toStrictEqual(configSchema().parse(data));
  }
});

test("data that the whole schema refuses is refused by the sections it names", () => {
  const wrong: unknown[] = [
    [],
    { x: 1 },
    { tools: [] },
    { tools: null },
    { tools: { x: 1 } },
    { tools: { toString: 1 } },
    { llm: { providers: 1 } },
    { autonomy: "x" },
  ];
  for (const data of wrong) expect(complaints(data), JSON.stringify(data)).not.toEqual([]);
  expect(complaints(JSON.parse('{"__proto__": {}}'))).not.toEqual([]);
});
