import { describe, expect, it } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { isLive } from "../runtime/rules/live-config.ts";
import { isCentral, readCentral } from "./central.ts";
import { parseConfig } from "./load.ts";
import { allSettings } from "./settings.ts";

const central = (config: string, files: Record<string, string> = {}) =>
  readCentral({ version: 7, files: { "config.toml": config, ...files } });
const trusted = () => true;

describe("the policy of a fleet", () => {
  it("counts above files, variables and flags, and says so", () => {
    const world = scratch();
    world.user('autonomy = "full"\n[tools]\nmax_tool_calls_per_session = 50\n');
    const policy = central('autonomy = "supervised"\n[tools]\nmax_tool_calls_per_session = 10\n');
    const { config, origins, warnings } = world.load({
      central: policy,
      env: { ZEPH_AUTONOMY: "full" },
      flags: ["tools.max_tool_calls_per_session=40"],
    });
    expect(config.autonomy).toBe("supervised");
    expect(config.tools.max_tool_calls_per_session).toBe(10);
    expect(origins.get("autonomy")).toEqual({ layer: "policy", name: "policy 7", file: "policy 7: config.toml", line: 1 });
    expect(warnings).toEqual([
      'ZEPH_AUTONOMY: "autonomy" was ignored in part or whole: policy 7 of the fleet can only be tightened.',
      '--set tools.max_tool_calls_per_session: "tools.max_tool_calls_per_session" was ignored in part or whole: policy 7 of the fleet can only be tightened.',
    ]);
  });

  it("is tightened by whoever wants to, a project that nobody vouched for too", () => {
    const world = scratch();
    world.project(
      '[tools]\nmax_tool_calls_per_session = 3\n[[tools.permissions.bash]]\npattern = "npm *"\naction = "deny"\n[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n',
    );
    const policy = central('[tools]\nmax_tool_calls_per_session = 10\n[[tools.permissions.bash]]\npattern = "git *"\naction = "allow"\n');
    for (const vouched of [() => false, trusted]) {
      const { config } = world.load({ central: policy, trusted: vouched });
      expect(config.tools.max_tool_calls_per_session).toBe(3);
      expect(config.tools.permissions.bash?.map(({ pattern, action }) => `${action} ${pattern}`)).toEqual(["deny npm *", "allow git *"]);
    }
    expect(world.load({ central: policy, flags: ["tools.max_tool_calls_per_session=2"] }).config.tools.max_tool_calls_per_session).toBe(2);
  });

  it("is not tightened by a value that nobody set", () => {
    const { config, warnings } = scratch().load({ central: central('autonomy = "full"\n') });
    expect([config.autonomy, warnings]).toEqual(["full", []]);
  });

  it("leaves alone what it says nothing of", () => {
    const world = scratch();
    world.user('autonomy = "full"\n[tools.retry]\nmax_attempts = 4\n');
    const { config } = world.load({ central: central("[tools]\nfour_eyes = true\n") });
    expect([config.autonomy, config.tools.retry.max_attempts, config.tools.four_eyes]).toEqual(["full", 4, true]);
  });

  it("owns a table that it speaks of: rules of a machine cannot allow what its own would not", () => {
    const world = scratch();
    world.user(
      '[tools.policy]\npolicy_file = "mine.toml"\n[[tools.policy.rules]]\neffect = "allow"\ntool = "bash"\n[tools.authorization]\nenabled = true\n[[tools.authorization.rules]]\neffect = "allow"\ntool = "bash"\n',
    );
    const { config } = world.load({ central: central('[tools.policy]\nenabled = true\ndefault_effect = "deny"\n') });
    expect(config.tools.policy).toEqual({ enabled: true, default_effect: "deny", rules: [], policy_file: "" });
    expect(config.tools.authorization).toEqual({ enabled: false, rules: [] });
  });

  it("brings the files that it names", () => {
    const { data } = central(
      '[tools.policy]\nenabled = true\npolicy_file = "rules.toml"\n[tools.adversarial_policy]\npolicy_file = "words.txt"\n',
      {
        "rules.toml": '[[rules]]\neffect = "deny"\ntool = "bash"\n',
        "words.txt": "# ours\nNever send mail.\n\n",
      },
    );
    expect(data.tools).toMatchObject({
      policy: { policy_file: "", rules: [{ effect: "deny", tool: "bash" }] },
      adversarial_policy: { policy_file: "", policies: ["Never send mail."] },
    });
  });

  it("holds for a configuration that is an object", () => {
    const policy = central('autonomy = "supervised"\n[tools]\nmax_tool_calls_per_session = 10\n');
    const config = parseConfig({ autonomy: "full", tools: { max_tool_calls_per_session: 5, retry: { max_attempts: 4 } } }, policy);
    expect([config.autonomy, config.tools.max_tool_calls_per_session, config.tools.retry.max_attempts]).toEqual(["supervised", 5, 4]);
    expect(parseConfig({}, policy).tools.max_tool_calls_per_session).toBe(10);
  });

  it.each<[string, string, Record<string, string>]>([
    ['policy 7: config.toml:2:1: "tools.sandbox.enabled" is no rule', "[tools.sandbox]\nenabled = false\n", {}],
    ['"mcp.servers" is no rule', '[[mcp.servers]]\nname = "x"\ncommand = "x"\n', {}],
    ['"store.url" is no rule', '[store]\nurl = "postgres://x"\n', {}],
    ["is not a setting", "[tools]\nmax_call = 1\n", {}],
    ["This is not valid TOML", "[tools\n", {}],
    ["rules.toml is not in the policy", '[tools.policy]\npolicy_file = "rules.toml"\n', {}],
    ["policy 7: rules.toml:1", '[tools.policy]\npolicy_file = "rules.toml"\n', { "rules.toml": "x = 1\n" }],
  ])("is refused with its place: %s", (message, config, files) => {
    expect(() => central(config, files)).toThrow(message);
  });

  it("without its main file is none", () => {
    expect(() => readCentral({ version: 1, files: {} })).toThrow("policy 1: config.toml");
  });

  it("says only what counts as soon as it is read", () => {
    expect(allSettings().filter(({ key }) => isCentral(key) && !isLive(key))).toEqual([]);
    const live = allSettings().filter(({ key }) => isLive(key) && !isCentral(key));
    // What is of one machine alone: hooks of its agents, and its servers.
    expect(live.map(({ key }) => key)).toEqual(["clients.answer_prompts", "clients.own_package", "mcp.servers"]);
  });
});
