import type { Bus } from "../../core/ports/fleet/session.ts";
import { createSubjectListeners, type SubjectListeners } from "./listeners.ts";
import { readMessage, writeMessage } from "./message.ts";

/** Fleets of this process, by name. */
const fleets = new Map<string, Set<SubjectListeners>>();

/** Hints within one process. They pass through JSON, as between machines. */
export function openLocalBus(fleet: string): Bus {
  const mine = createSubjectListeners();
  const all = fleets.get(fleet) ?? new Set();
  fleets.set(fleet, all.add(mine));
  return {
    tell(subject, data) {
      if (!all.has(mine)) return;
      const text = writeMessage(data);
      setImmediate(() => {
        for (const listeners of [...all]) listeners.tell(subject, readMessage(text)?.data);
      });
    },
    async hear(subject, listener) {
      const end = mine.add(subject, listener);
      return () => void end();
    },
    async close() {
      all.delete(mine);
      if (all.size === 0 && fleets.get(fleet) === all) fleets.delete(fleet);
    },
  };
}
