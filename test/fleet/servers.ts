import type { TestProject } from "vitest/node";
import { findNats, findPostgres, startNats, startPostgres } from "../../scripts/fleet-servers.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Empty where the server is missing. */
    postgres: string;
    nats: string;
  }
}

/** One PostgreSQL and one NATS for all files of the project. A test that stops servers starts its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = findPostgres() ? await startPostgres({ settings: ["fsync = off", "synchronous_commit = off"] }) : null;
  const nats = findNats() ? await startNats() : null;
  project.provide("postgres", postgres?.url ?? "");
  project.provide("nats", nats?.url ?? "");
  return async () => {
    await postgres?.stop();
    await nats?.stop();
  };
}
