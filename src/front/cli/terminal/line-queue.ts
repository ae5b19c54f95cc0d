import { setTimeout as sleep } from "node:timers/promises";

/** Lines that were finished and not taken yet. */
export interface LineQueue {
  add(line: FinishedLine): void;
  size(): number;
  next(): FinishedLine;
  /** The next line, and those that came at once with it. The end of what was pasted may still stand in the editor, and is waited for. */
  together(editing: Editing): Promise<readonly FinishedLine[]>;
  /** Waits until something happens. */
  more(): Promise<void>;
  wake(): void;
  /** As if all had come now. */
  touch(): void;
  /** All of them; none is left. */
  take(): readonly FinishedLine[];
}
export interface FinishedLine {
  readonly text: string;
  /** As it was edited, where that is something else. */
  readonly typed?: string;
  /** As it was edited, when nobody saw that. */
  readonly unseen?: string;
}

export interface Editing {
  /** When what stands in the editor was begun; null when it is empty. */
  since(): number | null;
  show(): void;
}

/** Pasted lines come at once; nobody types a second line so soon. For terminals that do not mark a paste. */
const AT_ONCE_MS = 30;

export function createLineQueue(): LineQueue {
  const waiting: { readonly line: FinishedLine; at: number }[] = [];
  let wake = () => {};
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    more,
    wake: () => wake(),
    size: () => waiting.length,
    next: () => waiting.shift()!.line,
    touch() {
      for (const one of waiting) one.at = performance.now();
    },
    take: () => waiting.splice(0).map(({ line }) => line),
    add(line) {
      waiting.push({ line, at: performance.now() });
      wake();
    },
    async together(editing) {
      let last = waiting.shift()!;
      const taken = [last.line];
      const isNear = (at: number | null | undefined) => at !== null && at !== undefined && at - last.at < AT_ONCE_MS;
      const take = () => {
        last = waiting.shift()!;
        taken.push(last.line);
      };
      if (isNear(performance.now())) await sleep(AT_ONCE_MS);
      while (isNear(waiting[0]?.at)) take();
      while (isNear(editing.since())) {
        editing.show();
        await more();
        while (waiting.length > 0) take();
      }
      return taken;
    },
  };
}
