import { expect, it } from "vitest";
import { parseConfig } from "../../config/load.ts";
import { EmbeddingError } from "../../core/ports/embedder.ts";
import { findEmbedder } from "./embedders.ts";

const PROVIDERS = [
  { name: "claude", type: "anthropic", model: "m" },
  { name: "open", type: "openai", model: "m", embedding_model: "e1" },
  { name: "local", type: "ollama", model: "m", embedding_model: "e2" },
  { name: "near", type: "compatible", model: "m", base_url: "http://127.0.0.1:1/v1" },
];
const find = (embedding_provider: string, providers: object[] = PROVIDERS, keys: Record<string, string> = { OPENAI_API_KEY: "sk-o" }) =>
  findEmbedder({ llm: parseConfig({ llm: { providers, embedding_provider } }).llm, keys: (name) => keys[name], env: {} });

it.each<[string, string | undefined]>([
  ["", "open/e1"],
  ["local", "local/e2"],
  ["none", undefined],
  ["packaged", "packaged/universal-sentence-encoder-lite"],
])("%s: %s", async (name, id) => expect((await find(name))?.id).toBe(id));

it("is nothing where no provider has one", async () => {
  expect(await find("", [PROVIDERS[0]!])).toBeNull();
  expect(await find("", [])).toBeNull();
});

it.each<[string, () => Promise<unknown>, RegExp]>([
  ["a name nobody has", () => find("lokal"), /no provider "lokal".*packaged, none, claude, open, local, near.*Did you mean "local"/],
  ["a provider without one", () => find("near"), /near has no embedding_model/],
  ["one that has no such thing", () => find("claude"), /type anthropic, which has no embeddings.*packaged/],
  [
    "the first with one, if that has no such thing",
    () => find("", [{ ...PROVIDERS[0], embedding_model: "x" }, ...PROVIDERS.slice(1)]),
    /claude.*no embeddings/,
  ],
  ["a key that is missing", () => find("open", PROVIDERS, {}), /OPENAI_API_KEY/],
])("says what is wrong with %s", async (_what, work, why) => {
  const error = await work().catch((thrown) => thrown as Error);
  expect(error).toBeInstanceOf(EmbeddingError);
  expect((error as Error).message).toMatch(why);
});
