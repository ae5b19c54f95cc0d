import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../src/config/load.ts";
import { Door } from "../src/core/door.ts";
import type { Outcome } from "../src/core/layer.ts";
import type { Watch } from "../src/core/ports/watch.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createSession } from "../src/core/session.ts";
import { type AnyTool, NEVER } from "../src/core/tool.ts";
import { createLocalWatch } from "../src/host/files/watch.ts";
import { openLocalHost } from "../src/host/local.ts";
import { createResultCache } from "../src/pipeline/cache.ts";
import { type CacheConfig, cacheConfig } from "../src/pipeline/config.ts";
import { createPipeline } from "../src/pipeline/run.ts";
import { TOOLS } from "../src/tools/index.ts";
import { NOWHERE } from "./offline-host.ts";

export interface Options extends Partial<CacheConfig> {
  readonly more?: readonly AnyTool[];
  readonly watch?: Watch | null;
  readonly scopeOf?: () => string;
}

/** A folder of its own, and two ways to call the tools in it: through a result cache and without one. */
export function caching() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-cache-")));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const { file, shell, sandbox, scope } = parseConfig({}).tools;
  const { host, facts } = openLocalHost({ cwd, file, shell, sandbox, scope, ...NOWHERE, own: [], keys: [], notes: join(base, "notes") });
  const session = createSession();
  const build = ({ more = [], watch = createLocalWatch(facts), scopeOf = () => "", ...config }: Options = {}) => {
    const cache = createResultCache({ config: { ...cacheConfig().parse({}), ...config }, watch, scopeOf });
    const parts = {
      tools: () => new Map([...TOOLS, ...more].map((tool) => [tool.name, tool])),
      outer: [],
      host,
      retry: { max_attempts: 0, base_ms: 0, max_ms: 0, budget_secs: 0 },
      ask: async () => null,
    };
    const cached = createPipeline({ ...parts, door: new Door(() => null, []), inner: [cache.layer] });
    const bare = createPipeline({ ...parts, door: new Door(() => null, []), inner: [] });
    const through =
      (pipeline: typeof cached) =>
      (name: string, args: object = {}, signal = NEVER, id: string = randomUUID()) =>
        pipeline(ToolRequest.from({ id, name, args })!, { signal, turn: session.current({}) });
    return { ...cache, call: through(cached), fresh: through(bare) };
  };
  return { cwd, facts, at: (name: string) => join(cwd, name), build, remove: () => rmSync(base, { recursive: true, force: true }) };
}

export const isHit = (outcome: Outcome): boolean => outcome.ok && outcome.cached;
export const textOf = (outcome: Outcome): string =>
  outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`;
