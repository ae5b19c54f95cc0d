import { join } from "node:path";
import pc from "picocolors";
import { expect, it, onTestFinished, vi } from "vitest";
import { scratch } from "../../../../test/scratch.ts";
import type { Outcome } from "../../../core/layer.ts";
import { ToolRequest } from "../../../core/request.ts";
import { openDesk } from "../../../runtime/create.ts";
import { openStore } from "../../../store/open.ts";
import { createCallOutputs } from "./call-outputs.ts";
import { show } from "./show.ts";
import type { SlashContext } from "./slash.ts";

const filter = { rule: null, confidence: "Full", rawLines: 3, lines: 2, rawChars: 1, chars: 1, secrets: [] };
const outcome = (output: object) => ({ ok: true, callId: "1", output, cached: false }) as unknown as Outcome;

/** A outputs with one call, and a store of its own. */
async function shelved(output: object) {
  const here = scratch();
  vi.stubEnv("XDG_STATE_HOME", join(here.cwd, "state"));
  vi.stubEnv("XDG_CONFIG_HOME", join(here.cwd, "config"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const desk = openDesk(process.cwd(), { set: [] });
  await desk.close();
  const store = openStore(desk.at.store);
  onTestFinished(() => store.close());
  const outputs = createCallOutputs();
  const shown: string[] = [];
  const terminal = { stdout: { write: (text: string) => shown.push(text) }, out: pc.createColors(false) };
  return {
    put: (text: string, handle?: number) => store.overflow.put({ owner: { session: "s" }, text, ...(handle && { handle }) }),
    async shown(id?: string) {
      outputs.add(ToolRequest.from({ id: "1", name: "bash", args: {} })!, outcome({ ...output, ...(id && { overflow: id }) }));
      await show({ outputs, settings: { set: [] }, terminal } as unknown as SlashContext, "");
      return shown.join("");
    },
  };
}

it("/show shows what was too long for the model", async () => {
  const { put, shown } = await shelved({ text: "a part" });
  expect(await shown(await put("all\nof\nit\n"))).toBe("[1] bash\nall\nof\nit\n");
});

it("/show shows what a filter left out", async () => {
  const { put, shown } = await shelved({ text: "one\n[-2 lines raw#7 857]", exitCode: 0, filter });
  await put("one\ntwo\nthree\n", 7);
  expect(await shown()).toBe("[1] bash\none\ntwo\nthree\n");
});

it("/show shows nothing of another conversation under the same number, and says where the rest may be", async () => {
  const { put, shown } = await shelved({ text: "one\n[-2 lines raw#7 857]", exitCode: 0, filter });
  await put("another\ntext\nthat\nis\nlonger\n", 7);
  const text = await shown();
  expect(text).toContain("[1] bash\none\n[-2 lines raw#7 857]\nThe model saw only this part.");
  expect(text).toContain("zeph filter --raw raw#7");
  expect(text).not.toContain("another");
});
