import type { ScreenWriter } from "./screen-writer.ts";
import type { Key } from "./typing/keys.ts";
import type { FullView } from "./view/full/full-view.ts";

/** Views over the chat, each opened from the one before it. */
export interface ViewStack {
  /** What was chosen in it; null where it was closed. */
  open(view: FullView): Promise<unknown>;
  /** False where no view is open. */
  key(key: Key): boolean;
  paint(): void;
  closeAll(): void;
}

export function createViewStack(writer: ScreenWriter): ViewStack {
  const stack: FullView[] = [];
  let end = (_chosen: unknown) => {};
  const paint = () => {
    const { columns, rows } = writer.size();
    const top = stack.at(-1);
    if (top) writer.paint(top.lines(columns - 1, rows));
  };
  const closeAll = (chosen: unknown = null) => {
    if (stack.length === 0) return;
    stack.length = 0;
    writer.paint(null);
    end(chosen);
  };
  return {
    open: (view) =>
      new Promise((resolve) => {
        closeAll();
        end = resolve;
        stack.push(view);
        paint();
      }),
    paint,
    closeAll: () => closeAll(),
    key(key) {
      const top = stack.at(-1);
      if (!top) return false;
      const done = top.key(key);
      if (done === "close") {
        if (stack.length === 1) closeAll();
        else stack.pop();
      } else if (typeof done === "object") {
        if ("open" in done) stack.push(done.open);
        else closeAll(done.chosen);
      }
      paint();
      return true;
    },
  };
}
