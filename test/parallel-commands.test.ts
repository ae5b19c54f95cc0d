import { afterAll, expect, it } from "vitest";
import { workspace } from "./workspace.ts";

const place = workspace();
afterAll(() => place.remove());

// The run as a whole fails on the warning; see setup.ts. Here it is caught in the act.
it.each([
  ["that nobody can cancel", () => undefined],
  ["with one signal for all", () => new AbortController().signal],
])("sixteen commands side by side, %s, print no warning of Node", async (_name, signalFor) => {
  const warnings: string[] = [];
  const hear = (warning: Error) => void warnings.push(`${warning.name}: ${warning.message}`);
  process.on("warning", hear);
  const signal = signalFor();
  const zeph = await place.runtime({ config: { autonomy: "full", audit: { path: `${place.state}/audit.jsonl` } } });
  try {
    const outcomes = await zeph.turn(() =>
      Promise.all(
        Array.from({ length: 16 }, (_, n) => zeph.call("bash", { command: `sleep 0.2; echo ${n}` }, { ...(signal && { signal }) })),
      ),
    );
    expect(outcomes.map(({ ok }) => ok)).toEqual(Array(16).fill(true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", hear);
    await zeph.close();
  }
});
