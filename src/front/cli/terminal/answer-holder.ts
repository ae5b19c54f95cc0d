import type { ZephEvent } from "../../../core/event.ts";
import type { Screen } from "../chat/screen.ts";

/** More than this is no answer one could wait for. */
const MOST = 8 * 1024 * 1024;

/** Says what the model said only when its answer is whole: what was written to a file or a pipe cannot be taken back. */
export function createAnswerHolder(screen: Screen): Screen {
  let held = "";
  const say = async () => {
    const text = held;
    held = "";
    if (text !== "") await screen.event({ type: "text", text });
  };
  const event = async (event: ZephEvent) => {
    if (event.type === "text") {
      held += event.text;
      if (held.length > MOST) await say();
    } else if (event.type === "retry") {
      const wasHeld = held !== "";
      if (event.discards) held = "";
      // Nobody has seen what is void.
      await screen.event(wasHeld ? { ...event, discards: false } : event);
    } else {
      if (event.type !== "thinking") await say();
      await screen.event(event);
    }
  };
  return { ...screen, event };
}
