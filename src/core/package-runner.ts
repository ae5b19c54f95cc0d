import { nameOf } from "../text/path.ts";

/** Programs that fetch a package and run it, and the first word by which some of them do. */
const FETCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  npm: ["exec", "x"],
  pnpm: ["dlx"],
  yarn: ["dlx"],
  bun: ["x"],
  uv: ["tool", "run"],
  pipx: ["run"],
};

/** Whether a command line fetches the package that it runs. */
export function fetchesPackage(command: string, args: readonly string[]): boolean {
  const runner = nameOf(command);
  const words = Object.hasOwn(FETCHERS, runner) ? FETCHERS[runner] : undefined;
  return words !== undefined && (words.length === 0 || words.includes(args.find((word) => !word.startsWith("-")) ?? ""));
}
