import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findCommandMistakes } from "./command-lines.ts";
import { readCompose, readDeployed, readUnit } from "./manifests.ts";

const compose = readCompose();
const services: [string, any][] = Object.entries(compose.services);

/** What our file uses of the Compose specification, and nothing else: a misspelt key is an unknown one. There is no maintained package with its schema. */
const words = z.array(z.string());
const lasts = z.string().regex(/^\d+s$/);
const service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  command: words.optional(),
  environment: z.record(z.string(), z.string()).optional(),
  profiles: words.optional(),
  ports: words.optional(),
  volumes: words.optional(),
  cap_drop: words.optional(),
  security_opt: words.optional(),
  deploy: z.strictObject({ replicas: z.int().positive() }).optional(),
  healthcheck: z
    .strictObject({ test: words, interval: lasts, timeout: lasts, retries: z.int(), start_period: lasts.optional() })
    .optional(),
  stop_grace_period: lasts.optional(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]) }))
    .optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]).optional(),
});
const file = z.strictObject({
  name: z.string(),
  "x-zeph": z.unknown(),
  "x-walls": z.unknown(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

describe("the compose file", () => {
  it("has the form of the specification", () => {
    expect(file.safeParse(compose).error?.issues ?? []).toEqual([]);
    expect(file.safeParse({ ...compose, services: { gateway: { image: "x", comand: ["serve"] } } }).success).toBe(false);
  });

  it("starts a database, two gateways and three workers, in that order", () => {
    expect(services.map(([name]) => name)).toEqual(["postgres", "nats", "migrate", "logins", "gateway", "worker"]);
    expect([compose.services.gateway.deploy.replicas, compose.services.worker.deploy.replicas]).toEqual([2, 3]);
    for (const [name, { depends_on: before = {} }] of services)
      for (const other of Object.keys(before)) expect({ name, other, is: other in compose.services }).toEqual({ name, other, is: true });
    expect(Number(/postgres:(\d+)/.exec(compose.services.postgres.image)![1])).toBeGreaterThanOrEqual(15);
  });

  it("types commands that there are", () => {
    const typed = ["migrate", "gateway", "worker"].map((name) => compose.services[name].command);
    expect(typed.flatMap((command) => findCommandMistakes(command))).toEqual([]);
    expect(findCommandMistakes(["serve", "--prot", "1"])).toEqual(["zeph serve --prot"]);
  });

  it("asks for every password, and gives keys of providers to workers alone", () => {
    const text = readDeployed("compose.yaml");
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    const offered = new Set([...readDeployed("example.env").matchAll(/^(\w+)=$/gm)].map(([, name]) => name));
    expect([...asked].filter((name) => name !== "ZEPH_IMAGE").sort()).toEqual([...offered].sort());
    for (const name of asked) if (name!.endsWith("_PASSWORD")) expect(text).toContain(`\${${name}:?`);
    const holders = services.filter(([, { environment = {} }]) => Object.keys(environment).some((key) => key.endsWith("_API_KEY")));
    expect(holders.map(([name]) => name)).toEqual(["worker"]);
  });

  it("lets no container be privileged", () => {
    for (const name of ["gateway", "worker"]) {
      expect(compose.services[name]).toMatchObject({ cap_drop: ["ALL"] });
      expect(compose.services[name].security_opt).toContain("no-new-privileges:true");
    }
  });
});

describe("the image", () => {
  it("has the versions of packages that the tests ran with", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    const install = /npm install --global (.*?) &&/.exec(readDeployed("Containerfile"))![1]!.split(" ").slice(1);
    expect(install).toEqual(["pg", "@nats-io/transport-node", "jose"].map((name) => `${name}@${devDependencies[name]}`));
  });

  it("runs as an ordinary user, and gets signals", () => {
    const text = readDeployed("Containerfile");
    expect(text).toMatch(/^USER 10001$/m);
    expect(text).toMatch(/^ENTRYPOINT \["tini", "--", "zeph"\]$/m);
  });
});

describe.each(["zeph-gateway.service", "zeph-worker@.service"])("the unit %s", (name) => {
  const { Unit, Service, Install } = readUnit(`systemd/${name}`);
  const setting = (key: string) => Service!.find(([one]) => one === key)?.[1];

  it("starts a command that there is, as an ordinary user", () => {
    const [program, ...args] = setting("ExecStart")!.split(" ");
    expect(program).toBe("/usr/bin/zeph");
    expect(findCommandMistakes(args)).toEqual([]);
    expect([setting("User"), setting("NoNewPrivileges"), setting("CapabilityBoundingSet")]).toEqual(["zeph", "yes", ""]);
    expect([Unit!.length, Install!.length]).toEqual([4, 1]);
  });

  it("leaves a drain its time, and the walls what they need", () => {
    expect(Number(setting("TimeoutStopSec"))).toBeGreaterThanOrEqual(40);
    expect(setting("KillMode")).toBe("mixed");
    for (const key of ["RestrictNamespaces", "ProtectProc", "ProcSubset", "ProtectKernelTunables", "ProtectKernelLogs"])
      expect({ key, value: setting(key) }).toEqual({ key });
  });
});
