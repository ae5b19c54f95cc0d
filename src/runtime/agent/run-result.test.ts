import { expect, it } from "vitest";
import type { ZephEvent } from "../../core/event.ts";
import { collectRun } from "./run-result.ts";

const image = (bytes: number) => ({ kind: "image", mediaType: "image/png", data: "", bytes, sha256: "", width: 1, height: 1 });
const ended = (id: string, bytes: number) =>
  ({
    type: "tool_end",
    request: { id, name: "look" },
    outcome: { ok: true, output: { text: id, media: [image(bytes)] } },
  }) as unknown as ZephEvent;

it("a run that gathers images keeps the newest of them", async () => {
  const events = async function* () {
    for (const id of ["a", "b", "c", "d"]) yield ended(id, 30 * 1024 * 1024);
    yield { type: "done", why: "answered", totals: {} } as unknown as ZephEvent;
  };
  const { calls } = await collectRun(events());
  expect(calls.map(({ outcome }) => [outcome.output?.text, outcome.output?.media?.length])).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["c", 1],
    ["d", 1],
  ]);
});
