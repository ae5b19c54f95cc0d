import { afterAll, describe, expect, it } from "vitest";
import { parseConfig } from "../src/config/load.ts";
import { parseConfigToml } from "../src/config/read.ts";
import { ABOUT_GATES } from "../src/gates/about/about.ts";
import type { AboutCall } from "../src/gates/about/gate.ts";
import { createAdversarialGate } from "../src/gates/adversarial/adversarial.ts";
import { createWallsGate } from "../src/gates/walls.ts";
import type { Zeph } from "../src/index.ts";
import { gatedIn } from "./gate-judges.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/a.txt", content: "a" },
  { op: "file", path: "work/keys/server.pem", content: "no" },
  { op: "file", path: "work/infra/main.tf", content: "x" },
]);
afterAll(() => place.remove());

const MODEL = { phase: "executor", conversationId: "c" } as const;
const asWritten = (text: string | null) => text?.replaceAll(place.work, "~/project") ?? null;
const call = (zeph: Zeph, { tool, args, caller }: AboutCall) => zeph.call(tool, args, caller);

describe("What docs/gates.md shows of each gate", () => {
  const judged = ABOUT_GATES.filter(({ example }) => example.given === undefined);
  it.each(judged.map((one) => [one.name, one.example] as const))("is so: %s", async (gate, { toml, call: asked, before = [], ...said }) => {
    const config = { ...parseConfigToml("config.toml", toml), audit: { path: `${place.state}/${gate}.jsonl` } };
    const zeph = await place.runtime({ config });
    for (const one of before) expect((await call(zeph, one)).ok).toBe(true);
    const { trace } = await zeph.judge(asked.tool, asked.args, asked.caller);
    const found = trace.find((one) => one.gate === gate)!;
    const outcome = await call(zeph, asked);
    await zeph.close();
    if (found.kind === "pass") throw new Error(`It passed: ${JSON.stringify(found)}`);
    expect({
      verdict: found.kind,
      rule: found.rule,
      why: asWritten(found.why),
      ...(found.told !== undefined && { told: found.told }),
    }).toEqual(said);
    expect(outcome).toMatchObject({ ok: false, decision: { gate } });
    if (!outcome.ok) expect(asWritten(outcome.error.message)).toBe(said.told ?? said.why);
  });
  const exampleOf = (name: string) => ABOUT_GATES.find((one) => one.name === name)!.example;
  const given = (name: string) => ({
    ...parseConfigToml("config.toml", exampleOf(name).toml),
    audit: { path: `${place.state}/${name}.jsonl` },
  });
  it("is so, given what it says: adversarial", async () => {
    const { call: asked, why, rule, told } = exampleOf("adversarial");
    const gated = gatedIn(place);
    const config = parseConfig(parseConfigToml("config.toml", exampleOf("adversarial").toml)).tools.adversarial_policy;
    const gate = createAdversarialGate(config, { ask: async () => "DENY: it is Friday", redact: (text) => text });
    const verdict = await gate.consult!(gated.call(asked.tool, asked.args), gated.turn(MODEL), new AbortController().signal);
    await gated.close();
    expect(verdict).toMatchObject({ kind: "deny", rule, why, told });
  });
  it("is so, given what it says: walls", async () => {
    const { call: asked, why, rule } = exampleOf("walls");
    const gated = gatedIn(place);
    const { sandbox } = parseConfig(parseConfigToml("config.toml", exampleOf("walls").toml)).tools;
    const gate = createWallsGate(sandbox, {
      walls: async () => ({ ...(await gated.facts.walls()), backend: "none", reason: undefined }) as never,
    });
    const verdict = await gate.judge(gated.call(asked.tool, asked.args), gated.turn());
    await gated.close();
    expect(verdict).toEqual({ kind: "deny", rule, why });
  });
  it("is so, given what it says: anomaly", async () => {
    const { call: asked, why, rule } = exampleOf("anomaly");
    const said: string[] = [];
    const zeph = await place.runtime({
      config: given("anomaly"),
      onEvent: (event) => event.type === "warning" && said.push(event.message),
    });
    for (let n = 0; n < 10; n++) await zeph.callAny("read", n < 4 ? asked.args : { path: 7 }, MODEL);
    expect(await zeph.judge(asked.tool, asked.args, MODEL)).toMatchObject({ verdict: "deny", gate: "trust", rule, why });
    expect(said.join()).toMatch(/^Critical: read failed in 6 of its last 10 calls/);
    expect(zeph.governance.unblock("read")).toBe(true);
    expect(await zeph.judge(asked.tool, asked.args, MODEL)).toMatchObject({ verdict: "allow" });
    await zeph.close();
  });
  it("is so, given what it says: hooks", async () => {
    const { call: asked, why, rule } = exampleOf("hooks");
    const zeph = await place.runtime({ config: given("hooks"), confirm: () => "once" });
    const outcome = await call(zeph, asked);
    await zeph.close();
    expect(outcome).toMatchObject({ ok: false, error: { message: why }, decision: { verdict: "deny", gate: "hooks", rule } });
  });
  it.each(ABOUT_GATES.map(({ name, example }) => [name, example.toml]))("can be set so: %s", (_name, toml) => {
    expect(() => parseConfig(parseConfigToml("config.toml", toml))).not.toThrow();
  });
});
