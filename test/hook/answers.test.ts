import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerHook } from "../../src/runtime/hook/answer-hook.ts";
import type { RuntimeInternals } from "../../src/runtime/runtime.ts";
import { workspace } from "../workspace.ts";
import { openRuled, partsOf, recordedAnswers, recordedInputs } from "./client-inputs.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
const opened = {} as Record<"deny" | "ask" | "allow", RuntimeInternals>;
beforeAll(async () => {
  for (const action of ["deny", "ask", "allow"] as const) opened[action] = await openRuled(place, action);
});
afterAll(async () => {
  for (const { zeph } of Object.values(opened)) await zeph.close();
  place.remove();
});

describe("What a client sends is answered byte by byte", () => {
  const answers = recordedAnswers(place.work);
  it.each(recordedInputs(place.work).map((one, n) => [`${n} ${one.client} ${one.event}`, one, answers[n]!] as const))(
    "%s",
    async (_name, { client, event, input }, expected) => {
      for (const action of ["deny", "ask", "allow"] as const) {
        const parts = partsOf(opened[action]);
        const given = { v: 1, client, event, cwd: place.work, input: JSON.stringify(input), tty: false } as const;
        expect({ action, ...(await answerHook(given, parts)) }).toEqual({ action, stdout: expected[action], stderr: "", exit: 0 });
      }
    },
  );
});
