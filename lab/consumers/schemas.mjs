// Schemas of every library: the model is sent their descriptions, arguments are checked, and what cannot be is refused in words.
import assert from "node:assert";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { createRuntime, defineTool } from "zeph";
import { z as zod3 } from "zod-3";
import * as zod40 from "zod-4-0";
import * as zod43 from "zod-4-3";
import * as zodLast from "zod-last";

const rest = (name) => ({
  name,
  description: "Echoes.",
  effect: "reads",
  touches: () => [],
  run: async ({ input }) => ({ text: input.path }),
});
const words = "The file";
const valibot = v.strictObject({ path: v.pipe(v.string(), v.description(words)) });
const tools = [
  ...Object.entries({ zod40, zod43, zodLast }).map(([name, z]) =>
    defineTool({ ...rest(name), input: z.strictObject({ path: z.string().describe(words) }) }),
  ),
  defineTool({ ...rest("valibot"), input: valibot, jsonSchema: toJsonSchema(valibot) }),
  defineTool({ ...rest("arktype"), input: type({ path: type("string").describe(words), "+": "reject" }) }),
];
const zeph = await createRuntime({
  store: "memory",
  config: { audit: { path: process.argv[2] } },
  toolsets: [{ id: "all", list: () => tools }],
});
const shown = new Map(zeph.tools().map(({ name, parameters }) => [name, parameters]));
for (const tool of tools) {
  assert.equal(shown.get(tool.name).properties.path.description, words, tool.name);
  assert.deepEqual(shown.get(tool.name).required, ["path"], tool.name);
  const good = await zeph.call(tool, { path: "a" });
  assert(good.ok && good.output.text === "a", tool.name);
  for (const args of [{}, { path: 1 }, { path: "a", other: 1 }]) {
    const bad = await zeph.callAny(tool.name, args);
    assert(!bad.ok && ["invalid_parameters", "type_mismatch"].includes(bad.error.category), `${tool.name}: ${JSON.stringify([args, bad])}`);
  }
}
await zeph.close();
assert.throws(() => defineTool({ ...rest("zod3"), input: zod3.object({ path: zod3.string() }) }), /of zod 3\. Zeph takes zod 4/);
assert.throws(() => defineTool({ ...rest("plain"), input: valibot }), /Give its JSON Schema as jsonSchema, too/);
console.log("consumer ok");
