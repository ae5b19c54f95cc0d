import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { startNats, startPostgres } from "../../scripts/fleet-servers.mjs";
import { type BusOptions, openBus } from "../../src/fleet/bus/bus.ts";
import { readNatsUrl } from "../../src/fleet/bus/nats-url.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { describeBus, newFleet } from "./bus-contract.ts";
import { hasNats, hasPostgres } from "./database.ts";

describeBus("in one process", () => ({ options: { fleet: newFleet() } }));

describe.skipIf(!hasPostgres)("with a server", () => {
  describeBus("on PostgreSQL", () => {
    const options = { db: { url: inject("postgres") }, fleet: newFleet() };
    return {
      options,
      async tellRaw(_subject, text) {
        const db = openPg({ url: options.db.url, bare: true, max: 1 });
        await db.all("select pg_notify(?, ?)", `zeph_${createHash("sha256").update(options.fleet).digest("hex").slice(0, 40)}`, text);
        await db.close();
      },
    };
  });
});

describe.skipIf(!hasNats)("with a server", () => {
  describeBus("on NATS", () => {
    const options = { url: inject("nats"), fleet: newFleet() };
    return {
      options,
      async tellRaw(subject, text) {
        const stranger = await connect({ servers: options.url });
        stranger.publish(`zeph.${options.fleet}.${subject}`, text);
        stranger.publish(`zeph.${options.fleet}.${subject}`, JSON.stringify("x".repeat(70_000)));
        await stranger.close();
      },
    };
  });
});

/** The server goes and comes back. Whoever listened before, or while it was away, listens after. */
async function outlives(
  options: Parameters<typeof openBus>[0],
  server: { away(): Promise<unknown>; back(): Promise<unknown> },
): Promise<void> {
  const troubles: string[] = [];
  const bus = await openBus({ ...options, onTrouble: (words) => troubles.push(words) });
  onTestFinished(() => bus.close());
  const heard: string[] = [];
  await bus.hear("before", () => heard.push("before"));
  bus.tell("before");
  await vi.waitFor(() => expect(heard).toEqual(["before"]), { timeout: 25_000 });
  await server.away();
  await vi.waitFor(() => expect(troubles.length).toBe(1), { timeout: 25_000 });
  expect(troubles[0]).toMatch(/^The bus .*127\.0\.0\.1.* cannot be reached \(.+\)\. .* no task is lost\.$/);
  expect(troubles[0]).not.toContain("secret");
  await bus.hear("meanwhile", () => heard.push("meanwhile"));
  for (let n = 0; n < 2000; n++) bus.tell("lost", "x".repeat(5000));
  await server.back();
  await vi.waitFor(() => expect(troubles.at(-1)).toMatch(/ is back\.$/), { timeout: 25_000 });
  bus.tell("before");
  bus.tell("meanwhile");
  await vi.waitFor(() => expect(heard).toEqual(["before", "before", "meanwhile"]), { timeout: 25_000 });
}

describe("a server that goes and comes back", () => {
  it.skipIf(!hasPostgres)("is PostgreSQL", async () => {
    const server = await startPostgres({ settings: ["fsync = off"] });
    onTestFinished(() => server.stop());
    await outlives({ db: { url: server.url } }, { away: () => server.crash(), back: () => server.start() });
  });

  it.skipIf(!hasNats)("is NATS", async () => {
    const { nodes, url, stop } = await startNats();
    onTestFinished(stop);
    await outlives({ url }, { away: () => nodes[0]!.stop(), back: () => nodes[0]!.start() });
  });

  it.skipIf(!hasNats)("is one of several, and the others carry on", async () => {
    const { nodes, url, stop } = await startNats({ nodes: 3 });
    onTestFinished(stop);
    const fleet = newFleet();
    const buses = await Promise.all([1, 2, 3, 4].map(() => openBus({ url, fleet })));
    onTestFinished(async () => void (await Promise.all(buses.map((bus) => bus.close()))));
    const heard = new Set<number>();
    for (const [n, bus] of buses.entries()) await bus.hear("wake", () => heard.add(n));
    await nodes[0]!.stop();
    await vi.waitFor(
      () => {
        buses[0]!.tell("wake");
        expect(heard.size).toBe(4);
      },
      { timeout: 25_000, interval: 100 },
    );
  });
});

it.skipIf(!hasPostgres)("stores of one server are fleets of their own", async () => {
  const [one, two] = await Promise.all(
    ["one_a", "one_b"].map((schema) => openBus({ db: { url: `${inject("postgres")}?schema=${schema}` } })),
  );
  onTestFinished(async () => void (await Promise.all([one!.close(), two!.close()])));
  const heard: string[] = [];
  await one!.hear("wake", () => heard.push("one"));
  await two!.hear("wake", () => heard.push("two"));
  one!.tell("wake");
  two!.tell("wake");
  one!.tell("wake");
  await vi.waitFor(() => expect(heard.sort()).toEqual(["one", "one", "two"]), { timeout: 25_000 });
});

it.each([{ url: "nats://127.0.0.1:9,127.0.0.1:10" }, { db: { url: "postgres://127.0.0.1:9/none" } }])(
  "nobody waits for a server that was never there: %s",
  async (options) => {
    const bus = await openBus(options);
    await bus.hear("wake", () => {});
    bus.tell("wake");
    await bus.close();
  },
);

describe.skipIf(!hasNats)("NATS lets in", () => {
  /** Tells through one bus and hears with another. */
  const talks = async (options: BusOptions): Promise<string> => {
    const troubles: string[] = [];
    const [one, two] = await Promise.all([1, 2].map(() => openBus({ ...options, onTrouble: (words) => troubles.push(words) })));
    const heard: unknown[] = [];
    await two!.hear("wake", (data) => heard.push(data));
    await vi.waitFor(
      () => {
        one!.tell("wake", "heard");
        expect([...heard, ...troubles].length).toBeGreaterThan(0);
      },
      { timeout: 25_000, interval: 100 },
    );
    await Promise.all([one!.close(), two!.close()]);
    return String(heard[0] ?? troubles[0]);
  };
  const at = (url: string, who: string, scheme = "nats") => url.replace("nats://", `${scheme}://${who}`);

  it("a user with a password, and says who it refuses", async () => {
    const { url, stop } = await startNats({ args: ["--user", "gate", "--pass", "s@cret"] });
    onTestFinished(stop);
    expect(await talks({ url: at(url, "gate:s%40cret@") })).toBe("heard");
    const refused = await talks({ url: at(url, "gate:wrongsecret@") });
    expect(refused).toMatch(/cannot be reached \(.*Authorization Violation/i);
    expect(refused).not.toContain("wrongsecret");
  });

  it("a token", async () => {
    const { url, stop } = await startNats({ args: ["--auth", "t0ken"] });
    onTestFinished(stop);
    expect(await talks({ url: at(url, "t0ken@") })).toBe("heard");
    expect(await talks({ url })).toMatch(/cannot be reached/);
  });

  it("whoever speaks TLS and knows its certificate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nats-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o755);
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync("openssl", [...made, "-keyout", key, "-out", cert, "-days", "2"], { stdio: "ignore" });
    chmodSync(key, 0o644);
    const { nodes, stop } = await startNats({ args: ["--tls", "--tlscert", cert, "--tlskey", key] });
    onTestFinished(stop);
    const url = `tls://localhost:${nodes[0]!.port}`;
    expect(await talks({ url: `${url}?ca=${cert}` })).toBe("heard");
    expect(await talks({ url })).toMatch(/cannot be reached \(.*certificate/);
  });
});

describe("an address of a bus", () => {
  it.each([
    ["nats://a,b:4223,nats://c", ["a", "b:4223", "c"], "nats://a,nats://b:4223,nats://c"],
    ["tls://u:p@a:1,b", ["a:1", "b"], "tls://a:1,tls://b"],
  ])("%s names all its servers, and shows no password", (url, servers, shown) => {
    expect(readNatsUrl(url)).toMatchObject({ options: { servers }, shown });
  });

  it("may name the fleet, whose subjects are apart from others", async () => {
    expect(readNatsUrl("nats://a/west,b").fleet).toBe("west");
    expect(() => readNatsUrl("nats://a/west,b/east")).toThrow("name different fleets");
  });

  it.each(["http://a", "redis://b", "nats:", "nats://", "nats://a,,b", "nats://a,http://b"])("is not %s", async (url) => {
    await expect(openBus({ url })).rejects.toThrow(/^A bus is /);
  });

  it("does not make a subject of its fleet's name", async () => {
    await expect(openBus({ fleet: "a.b" })).rejects.toThrow("A fleet is named with");
  });
});
