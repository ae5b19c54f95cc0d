import { methods } from "@agentclientprotocol/sdk";
import type { Buffers } from "../../core/ports/editor.ts";
import { waitWithin } from "../../text/wait-within.ts";
import { refusalIn } from "./refusal.ts";
import type { Wire } from "./wire.ts";

/** An editor that does not answer must not hold up the work. */
const READ_MS = 5000;
const WRITE_MS = 30_000;

/** Files as the editor has them, unsaved changes included; undefined where it lends none. */
export function editorBuffers(wire: Wire): Buffers | undefined {
  const { readTextFile, writeTextFile } = wire.can.fs ?? {};
  if (!readTextFile && !writeTextFile) return undefined;
  return {
    ...(readTextFile && {
      async read(path: string, signal: AbortSignal) {
        const answer = await asked(
          wire.client.request(methods.client.fs.readTextFile, { sessionId: wire.sessionId, path }),
          READ_MS,
          signal,
        );
        if (typeof answer.content !== "string") throw new Error("The editor answered with no text.");
        return answer.content;
      },
    }),
    ...(writeTextFile && {
      async write(path: string, content: string, signal: AbortSignal) {
        await asked(wire.client.request(methods.client.fs.writeTextFile, { sessionId: wire.sessionId, path, content }), WRITE_MS, signal);
      },
    }),
  };
}

async function asked<T>(request: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const answer = await waitWithin(request, ms, LATE, signal).catch((error: unknown) => {
    throw refusalIn(error);
  });
  if (answer !== LATE) return answer as T;
  throw new Error(signal.aborted ? "Cancelled." : `The editor has not answered within ${ms / 1000} s.`);
}
const LATE = Symbol("late");
