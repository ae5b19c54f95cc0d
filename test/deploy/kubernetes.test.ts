import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfigToml } from "../../src/config/read.ts";
import { someConfig } from "../../src/config/schema.ts";
import { findCommandMistakes } from "./command-lines.ts";
import { findTypeMistakes } from "./kubernetes-types.ts";
import { isWorkload, podOf, readManifests } from "./manifests.ts";

const manifests = readManifests();
const workloads = manifests.filter(isWorkload);
const containers = workloads.flatMap((one) =>
  podOf(one).spec.containers.map((container: any) => ({ of: one.metadata.name, ...container })),
);
const plain = ({ file: _file, ...rest }: (typeof manifests)[number]) => rest;
/** How long a worker waits for the next step of its tasks. */
const drainMs = Number(
  /const DRAIN_MS = ([\d_]+)/
    .exec(readFileSync(join(import.meta.dirname, "../../src/fleet/run-worker.ts"), "utf8"))![1]!
    .replaceAll("_", ""),
);

describe("the manifests of Kubernetes", () => {
  it("hold what a fleet needs", () => {
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      "ConfigMap zeph",
      "Deployment zeph-gateway",
      "Job zeph-migrate",
      "Namespace zeph",
      "NetworkPolicy zeph-deny",
      "NetworkPolicy zeph-gateway",
      "NetworkPolicy zeph-names-and-store",
      "NetworkPolicy zeph-worker",
      "PodDisruptionBudget zeph-gateway",
      "PodDisruptionBudget zeph-worker",
      "Service zeph-gateway",
      "Service zeph-worker",
      "StatefulSet zeph-worker",
    ]);
    expect(manifests.filter(({ kind, metadata }) => kind !== "Namespace" && metadata.namespace !== "zeph")).toEqual([]);
  });

  it("fit the types of Kubernetes' API", () => {
    expect(findTypeMistakes(manifests.map(plain))).toBe("");
  });

  it("would not fit with a field that is misspelt, of another kind or missing", () => {
    const [worker] = manifests.filter(({ kind }) => kind === "StatefulSet").map((one) => structuredClone(plain(one)));
    const wrong = (change: (spec: any) => void) => {
      const copy = structuredClone(worker!);
      change(copy.spec);
      return findTypeMistakes([copy]);
    };
    expect(wrong((spec) => (spec.template.spec.terminationGracePeriod = 60))).toContain("terminationGracePeriod");
    expect(wrong((spec) => (spec.replicas = "3"))).toContain("'string' is not assignable to type 'number'");
    expect(wrong((spec) => delete spec.selector)).toContain("selector");
  });

  it("give no container more rights than an ordinary user has", () => {
    for (const workload of workloads) {
      const { hostNetwork, hostPID, hostIPC, securityContext, automountServiceAccountToken, volumes = [] } = podOf(workload).spec;
      expect({ hostNetwork, hostPID, hostIPC, automountServiceAccountToken }).toEqual({ automountServiceAccountToken: false });
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
      expect(volumes.filter((volume: any) => "hostPath" in volume)).toEqual([]);
    }
    for (const { of, securityContext, resources } of containers) {
      expect({ of, ...securityContext }).toMatchObject({ of, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } });
      expect({ of, privileged: securityContext.privileged, added: securityContext.capabilities.add }).toEqual({ of });
      expect(resources.limits.memory).toMatch(/^\d+[MG]i$/);
    }
  });

  it("take secrets by name, and hold none", () => {
    const text = JSON.stringify(manifests);
    expect(text).not.toMatch(/"kind":"Secret"|postgres:\/\/|sk-/);
    const named = containers.flatMap(({ env }) =>
      env.map(({ name, value, valueFrom }: any) => ({ name, value, secret: valueFrom?.secretKeyRef?.name })),
    );
    const stores = named.filter(({ name }) => name === "ZEPH_STORE").map(({ secret }) => secret);
    expect(stores.sort()).toEqual(["zeph-admin", "zeph-gateway", "zeph-worker"]);
    expect(named.filter(({ value }) => value !== undefined)).toEqual([]);
    expect(containers.find(({ name }) => name === "gateway").env.map(({ name }: any) => name)).toEqual(["ZEPH_STORE"]);
  });

  it("select the pods that they are about", () => {
    const pods = workloads.map((one) => podOf(one).metadata.labels);
    const finds = (labels: Record<string, string>) =>
      pods.filter((pod) => Object.entries(labels).every(([key, value]) => pod[key] === value)).length;
    for (const { kind, metadata, spec } of manifests) {
      const labels = kind === "Service" ? spec.selector : spec?.selector?.matchLabels;
      if (labels) expect({ kind, ...metadata, found: finds(labels) }).toMatchObject({ kind, found: 1 });
    }
    const ports = containers.find(({ name }) => name === "gateway").ports.map(({ name }: any) => name);
    const [service] = manifests.filter(({ kind, metadata }) => kind === "Service" && metadata.name === "zeph-gateway");
    expect(ports).toContain(service!.spec.ports[0].targetPort);
  });

  it("ask a gateway where it answers, and give everybody time to end", () => {
    const { livenessProbe, readinessProbe, lifecycle } = containers.find(({ name }) => name === "gateway");
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(["/healthz", "/readyz"]);
    const patience = (name: string) => podOf(workloads.find(({ metadata }) => metadata.name === name)!).spec.terminationGracePeriodSeconds;
    expect(patience("zeph-worker") * 1000).toBeGreaterThanOrEqual(2 * drainMs);
    expect(patience("zeph-gateway")).toBeGreaterThan(Number(lifecycle.preStop.exec.command[1]) + 30);
  });

  it("close the network, and open it for what is needed", () => {
    const policies = manifests.filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.find(({ metadata }) => metadata.name === "zeph-deny")!.spec).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
    const reachable = policies
      .filter(({ spec }) => spec.ingress)
      .map(({ spec }) => spec.podSelector.matchLabels["app.kubernetes.io/component"]);
    expect(reachable).toEqual(["gateway"]);
  });

  it("type commands and settings that there are", () => {
    expect(containers.flatMap(({ args }) => findCommandMistakes(args))).toEqual([]);
    const [configuration] = manifests.filter(({ kind }) => kind === "ConfigMap");
    const read = someConfig(parseConfigToml(undefined, configuration!.data!["config.toml"]!));
    expect(read.success).toBe(true);
  });
});
