import { readCentral } from "../../config/central.ts";
import type { PolicySource } from "../../core/ports/fleet/govern.ts";
import { isRecord } from "../../text/json.ts";
import type { CentralPolicy } from "../settings/stores.ts";
import type { Reloader } from "./reload.ts";

/** The policy of a fleet that counts in this runtime. */
export interface CentralRules {
  /** What the configuration is read below; null where there is no policy. */
  current(): CentralPolicy | null;
  /** Takes over each version that is pushed. One that is wrong here leaves the rules as they were. Returns what ends this. */
  follow(reload: Pick<Reloader, "reload">, warn: (message: string) => void): () => void;
}

/** Throws a ConfigError when the first version is wrong: without rules nothing is opened. `repo` is the repository that the workspace is of. */
export function createCentralRules(source: PolicySource | undefined, repo: string | undefined): CentralRules {
  const read = (): CentralPolicy | null => {
    const found = source?.current();
    if (!found) return null;
    const central = readCentral(found);
    return { ...central, vouches: repo !== undefined && vouchesFor(central.data, repo) };
  };
  let inForce = read();
  return {
    current: () => inForce,
    follow(reload, warn) {
      if (!source) return () => {};
      const take = async () => {
        const offered = source.current();
        if (!offered || offered.version === inForce?.version) return;
        const problem = await tryPolicy(offered.version);
        if (problem !== null) warn(`Policy ${offered.version} of the fleet is not followed here: ${problem}`);
      };
      const tryPolicy = async (version: number): Promise<string | null> => {
        const before = inForce;
        try {
          inForce = read();
        } catch (error) {
          return (error as Error).message;
        }
        const { problem } = await reload.reload(`policy ${version}`);
        if (problem === undefined) return null;
        inForce = before;
        return problem;
      };
      const stop = source.onChange(() => void take());
      // One may have come while the runtime was opened.
      void take();
      return stop;
    },
  };
}

/** By its address; a name that ends in `*` stands for all that begin so. */
function vouchesFor(data: Readonly<Record<string, unknown>>, repo: string): boolean {
  const list = isRecord(data.fleet) && Array.isArray(data.fleet.trusted_repos) ? data.fleet.trusted_repos : [];
  const plain = (text: string) => text.replace(/(?:\.git)?\/?$/, "");
  return list.some((one) => (one.endsWith("*") ? repo.startsWith(one.slice(0, -1)) : plain(one) === plain(repo)));
}
