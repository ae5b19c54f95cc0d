import type { Serve, ServedProgram } from "../../core/ports/served.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { isWithin } from "../../text/path.ts";

/**
 * An editor goes by names, and a program behind walls can swap a folder under a name for a link to elsewhere. So never both at once: files are
 * used by name only where no program could swap anything.
 */
export interface SwapGuard {
  /** A program that may write these folders is about to start: nobody goes by names in there from now on. Resolves when those who do are done. */
  disturb(roots: readonly string[]): Promise<WriterTurn>;
  /** Undefined, and nothing was done, when a program runs that may write there. */
  byName<T>(path: string, work: () => Promise<T>): Promise<T | undefined>;
}

export interface WriterTurn {
  /** The program has ended, and with it whatever stood behind these walls. Where that is not sure, it is never quiet there again. */
  over(walls: Walls): void;
  /** It was not started. */
  none(): void;
}

export function createSwapGuard(): SwapGuard {
  const running = new Set<readonly string[]>();
  const byNames = new Set<{ readonly path: string; readonly done: Promise<unknown> }>();
  return {
    async disturb(roots) {
      // Counted before waiting, so that nobody else begins meanwhile.
      const mine = [...roots];
      running.add(mine);
      await Promise.all([...byNames].filter(({ path }) => isBelow(mine, path)).map(({ done }) => done));
      const none = () => void running.delete(mine);
      return { none, over: ({ backend }) => void (LINGER.includes(backend) || none()) };
    },
    async byName(path, work) {
      if ([...running].some((roots) => isBelow(roots, path))) return undefined;
      const doing = work();
      const one = { path, done: doing.catch(() => {}) };
      byNames.add(one);
      try {
        return await doing;
      } finally {
        byNames.delete(one);
      }
    },
  };
}

/** As `serve`; while a program runs it is not quiet where it may write. */
export const serveGuarded =
  (quiet: SwapGuard, serve: Serve, rootsOf: (program: ServedProgram) => readonly string[]): Serve =>
  async (program) => {
    const disturbance = await quiet.disturb(rootsOf(program));
    try {
      const served = await serve(program);
      void served.ended.then(() => disturbance.over(served.walls));
      return served;
    } catch (error) {
      disturbance.none();
      throw error;
    }
  };

const isBelow = (roots: readonly string[], path: string) => roots.some((root) => isWithin(root, path));

/** What left its process group lives on behind these. Without any walls a program needs nobody else to write elsewhere. */
const LINGER: readonly Walls["backend"][] = ["landlock", "seatbelt"];

/** One for the whole process: sessions of an editor may work in the same folder. */
export const swapGuard = createSwapGuard();
