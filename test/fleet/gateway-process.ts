import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { type Box, box } from "../e2e/zeph.ts";

export interface GatewayProcess {
  readonly place: Box;
  readonly url: string;
  readonly pid: number;
  err(): string;
  /** Resolves when it has ended, with its code. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** Where a person's MCP sessions work. */
  folderOf(tenant: string, person: string): string;
}

/** `zeph serve` as on a machine of its own: nothing is shared but the store. */
export async function startGatewayProcess(store: string, args: readonly string[] = [], toml = ""): Promise<GatewayProcess> {
  const place = box();
  place.config(toml);
  const child = place.start(["serve", "--port", "0", ...args], { ZEPH_STORE: store });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let err = "";
  child.stderr.on("data", (piece) => {
    err += piece;
  });
  child.stdout.resume();
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`zeph serve ended: ${err}`);
      expect(err).toMatch(/^zeph serve: \S+ /m);
    },
    { timeout: 25_000, interval: 100 },
  );
  return {
    place,
    url: /^zeph serve: (\S+) /m.exec(err)![1]!,
    pid: child.pid!,
    err: () => err,
    ended,
    kill: (signal) => void child.kill(signal),
    folderOf: (tenant, person) => join(place.env.HOME!, ".local", "share", "zeph-gateway", slug(tenant), slug(person)),
  };
}

const slug = (name: string): string =>
  /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) ? name : `x-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
