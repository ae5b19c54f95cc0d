import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT_SWITCHES, type ClientSwitch, type SwitchFile, type SwitchWay } from "../../src/core/clients/client-switches.ts";
import { CLIENT_PLANS } from "../../src/hook/install/client-plans.ts";
import { switchesOn } from "../../src/hook/install/find-switches.ts";
import { clientFolder } from "../../src/hook/install/place.ts";
import type { Zeph } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const pinned: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../lab/neighbours/switches.json"), "utf8"),
);
const off = CLIENT_SWITCHES.filter(({ effect }) => effect === "off");
const titled = (switches: readonly ClientSwitch[]) => switches.map((one) => [one.client, one.name, one] as const);

describe("what the table says of a switch", () => {
  it("is what the real agent did, for each that was tried, and nothing that was tried is left out", () => {
    const tried = CLIENT_SWITCHES.filter(({ basis }) => basis === "tried").map(
      ({ client, name, effect }) => `${client} ${name}: ${effect}`,
    );
    const found = Object.entries(pinned).flatMap(([client, names]) =>
      Object.entries(names).map(([name, effect]) => `${client} ${name}: ${effect}`),
    );
    expect(tried.toSorted()).toEqual(found.toSorted());
    expect(found.length).toBeGreaterThan(80);
  });
  it("can be looked for, or stands in the words of a command, where it switches hooks off", () => {
    const unseen = off.filter(({ way }) => way.kind === "elsewhere").map(({ client, name }) => `${client} ${name}`);
    // It is found beside the trust: test/e2e/hook-install.test.ts.
    expect(unseen).toEqual(["codex hooks.state enabled in config.toml"]);
  });
});

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-switches-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let count = 0;
const freshPlace = (env: Record<string, string> = {}) => {
  const at = join(base, String(count++));
  return { home: join(at, "home"), cwd: join(at, "work"), env };
};
const VALUES: Readonly<Record<string, unknown>> = { set: "1", "names zeph": ["zeph"], "leaves zeph out": ["-extensions/zeph.ts"] };
const valueFor = (is: Extract<SwitchWay, { kind: "setting" }>["is"]): unknown => (typeof is === "boolean" ? is : VALUES[is]);
const nested = (at: readonly string[], value: unknown): unknown => at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
const textOf = ({ form }: SwitchFile, at: readonly string[], value: unknown): string =>
  form === "json"
    ? `// a comment\r\n${JSON.stringify(nested(at, value))}`
    : form === "toml"
      ? `${at.join(".")} = ${JSON.stringify(value)}\n`
      : `# x\nexport ${at.join(".")}="${value}"\n`;

const settings = off.filter(({ way }) => way.kind === "setting" && way.file.in !== "machine");
it.each(titled(settings))("%s: the status finds %s, and not where the file says otherwise", (client, _name, { way }) => {
  if (way.kind !== "setting") throw new Error("that is no setting");
  const plan = CLIENT_PLANS[client as keyof typeof CLIENT_PLANS];
  const place = freshPlace();
  const file = join(way.file.in === "project" ? place.cwd : clientFolder(plan, place), way.file.path);
  mkdirSync(dirname(file), { recursive: true });
  const write = (value: unknown) => writeFileSync(file, textOf(way.file, way.at, value));
  write(valueFor(way.is));
  expect(switchesOn(plan, place)).toEqual([`${file}: ${way.at.join(".")} switches the hooks of Zeph off.`]);
  write(typeof way.is === "boolean" ? !way.is : way.is === "set" ? "0" : ["other"]);
  expect(switchesOn(plan, place)).toEqual([]);
  writeFileSync(file, "{ this is no settings file");
  expect(switchesOn(plan, place)).toEqual([]);
});

const variables = off.filter(({ way }) => way.kind === "variable" && way.holds === undefined);
it.each(titled(variables))("%s: the status finds the variable %s", (client, _name, { way }) => {
  if (way.kind !== "variable") throw new Error("that is no variable");
  const plan = CLIENT_PLANS[client as keyof typeof CLIENT_PLANS];
  expect(switchesOn(plan, freshPlace({ [way.variable]: "1" }))).toEqual([
    `${way.variable} is set: ${client} runs no hook of Zeph where it is started with it.`,
  ]);
  expect(switchesOn(plan, freshPlace({ [way.variable]: "" }))).toEqual([]);
});

it("settings of a folder that a variable names are the ones that count", () => {
  const place = freshPlace();
  const moved = { ...place, env: { CODEX_HOME: join(place.home, "elsewhere") } };
  mkdirSync(moved.env.CODEX_HOME, { recursive: true });
  writeFileSync(join(moved.env.CODEX_HOME, "config.toml"), "[features]\nhooks = false\n");
  expect(switchesOn(CLIENT_PLANS.codex, place)).toEqual([]);
  expect(switchesOn(CLIENT_PLANS.codex, moved)).toHaveLength(1);
});

describe("a governed model is refused every switch that the table knows", () => {
  const place = workspace([]);
  let zeph: Zeph;
  beforeAll(async () => {
    const permissions = Object.fromEntries(["bash", "write"].map((tool) => [tool, [{ pattern: "*", action: "allow" as const }]]));
    zeph = await place.runtime({ config: { autonomy: "full", tools: { permissions } } });
  });
  afterAll(async () => {
    await zeph.close();
    place.remove();
  });
  const client = { name: "claude", session: "s", walls: "none", unruled: "left to it" } as const;
  const judged = async (tool: string, args: object) => {
    const { gate, verdict } = await zeph.decide(tool, args, { client, record: true });
    return `${gate} ${verdict}`;
  };
  const options = off.flatMap(({ client: agent, way }) => (way.kind === "option" ? way.options.map((word) => [agent, word] as const) : []));
  it.each(options)("%s %s is refused", async (agent, word) => {
    expect(await judged("bash", { command: `${agent} ${word} x` })).toBe("self deny");
    expect(await judged("bash", { command: `${agent} ${word}=x` })).toBe("self deny");
  });
  const named = off.flatMap(({ client: agent, way }) => (way.kind === "variable" ? [[agent, way.variable] as const] : []));
  it.each(named)("%s with %s is refused", async (agent, variable) => {
    expect(await judged("bash", { command: `${variable}=/x ${agent} x` })).toBe("self deny");
    expect(await judged("bash", { command: `env ${variable}=/x ${agent} x` })).toBe("self deny");
  });
  const files = [...new Set(settings.flatMap(({ client: agent, way }) => (way.kind === "setting" ? [fileOf(agent, way)] : [])))];
  it.each(files)("a change of %s is refused", async (path) => {
    expect(await judged("write", { path, content: "QWEN_CODE_SIMPLE=1\n" })).toBe("self deny");
    expect(await judged("bash", { command: `echo QWEN_CODE_SIMPLE=1 > ${path}` })).toBe("self deny");
  });
});

/** As it lies in a home or a project; a project may well be a home. */
function fileOf(agent: string, { file }: Extract<SwitchWay, { kind: "setting" }>): string {
  const plan = CLIENT_PLANS[agent as keyof typeof CLIENT_PLANS];
  return file.in === "project" ? file.path : clientFolder(plan, { home: "", cwd: "", env: {} }).replace(/^\//, "").concat("/", file.path);
}
