import type { Serve, ServedProgram } from "../../core/ports/served.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { isWithin } from "../../text/path.ts";

/**
 * An editor goes by names, and a program behind walls can swap a folder under a name for a link to elsewhere. So never both at once: files are
 * used by name only where no program could swap anything.
 */
export interface SwapGuard {
  /** A program that may write these folders is about to start: nobody goes by names in there from now on. Resolves when those who do are done. */
  disturb(roots: readonly string[], who?: Writer): Promise<WriterTurn>;
  /** As `disturb`, for a command that runs while no other command does: null where one runs that may write there, and those that are to start wait for its end. */
  disturbAlone(roots: readonly string[]): Promise<WriterTurn | null>;
  /** Undefined, and nothing was done, when a program runs that may write there. */
  byName<T>(path: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** A server runs as long as its session, so nobody waits for it. */
type Writer = "command" | "server";

export interface WriterTurn {
  /** The program has ended, and with it whatever stood behind these walls. Where that is not sure, it is never quiet there again. */
  over(walls: Walls): void;
  /** It was not started. */
  none(): void;
}

export function createSwapGuard(): SwapGuard {
  const running = new Map<readonly string[], Writer>();
  /** Those who need the folders for themselves. */
  const alone = new Set<{ readonly paths: readonly string[]; readonly done: Promise<unknown> }>();
  const disturb = async (roots: readonly string[], who: Writer): Promise<WriterTurn> => {
    // Counted before waiting, so that nobody else begins meanwhile.
    const mine = [...roots];
    const before = [...alone].filter(({ paths }) => overlap(mine, paths));
    running.set(mine, who);
    await Promise.all(before.map(({ done }) => done));
    const none = () => void running.delete(mine);
    return { none, over: ({ backend }) => void (LINGER.includes(backend) || none()) };
  };
  return {
    disturb: (roots, who = "command") => disturb(roots, who),
    async disturbAlone(roots) {
      if ([...running].some(([others, who]) => who === "command" && overlap(others, roots))) return null;
      const disturbing = disturb(roots, "command");
      let end = () => {};
      const one = { paths: roots, done: new Promise<void>((resolve) => (end = resolve)) };
      alone.add(one);
      const turn = await disturbing;
      const release = () => {
        alone.delete(one);
        end();
      };
      return {
        none: () => {
          turn.none();
          release();
        },
        over: (walls) => {
          turn.over(walls);
          release();
        },
      };
    },
    async byName(path, work) {
      if ([...running.keys()].some((roots) => isBelow(roots, path))) return undefined;
      const doing = work();
      const one = { paths: [path], done: doing.catch(() => {}) };
      alone.add(one);
      try {
        return await doing;
      } finally {
        alone.delete(one);
      }
    },
  };
}

const overlap = (some: readonly string[], others: readonly string[]): boolean =>
  others.some((path) => isBelow(some, path)) || some.some((path) => isBelow(others, path));

/** As `serve`; while a program runs it is not quiet where it may write. */
export const serveGuarded =
  (quiet: SwapGuard, serve: Serve, rootsOf: (program: ServedProgram) => readonly string[]): Serve =>
  async (program) => {
    const disturbance = await quiet.disturb(rootsOf(program), "server");
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
