import type { PlaceOf } from "../../config/load.ts";
import { namedPath, readPolicyFile, readPolicyLines } from "../../config/policy/policy-file.ts";
import { regexSearch } from "../../config/policy/regex.ts";
import { ConfigError, type Problem, placeText } from "../../config/problem.ts";
import type { Config } from "../../config/schema.ts";
import type { AdversarialConfig } from "../../gates/adversarial/adversarial.ts";
import type { OwnedRule } from "../../gates/policy/match.ts";
import type { PolicyRules } from "../../gates/policy/policy.ts";
import { countProblem, type PolicyRule } from "../../gates/policy/rule.ts";
import { nameOf } from "../../text/path.ts";
import { ALIASES } from "../../tools/index.ts";
import { asLive, type LiveConfig } from "./live-config.ts";

/** All that gates are built from: the configuration, and the files it names. */
export interface Rulebook extends PolicyRules {
  readonly live: LiveConfig;
  readonly adversarial: AdversarialConfig;
  /** The files the rules were read from besides the configuration's own: absolute. */
  readonly files: readonly string[];
  /** Every rule of both lists as it was written, those of a list that is off too. */
  readonly written: readonly WrittenRule[];
}

export interface WrittenRule extends OwnedRule {
  /** `tools.policy.rules[3]`, or `rules[3]` in a file of rules. */
  readonly key: string;
  /** Where it stands, or something of it. Nothing for what no file says. */
  place(...below: readonly (string | number)[]): Pick<Problem, "file" | "line">;
}

export interface Where {
  readonly placeOf: PlaceOf;
  /** A file that is named by no file is looked for here. */
  readonly cwd: string;
  readonly home: string;
}

/** Reads what the configuration names. Throws a ConfigError that lists everything wrong, with its place. */
export function readRulebook(config: Config, known: Partial<Where> = {}): Rulebook {
  const { placeOf = () => ({}), cwd = process.cwd(), home = process.env.HOME ?? "/" } = known;
  const where: Where = { placeOf, cwd, home };
  const { policy, authorization, adversarial_policy, scoped } = config.tools;
  const problems: Problem[] = [];
  const files: string[] = [];
  const named = <T>(section: "policy" | "adversarial_policy", read: (path: string) => T): T | null => {
    const written = config.tools[section].policy_file;
    if (written === "") return null;
    const from = where.placeOf(["tools", section, "policy_file"]);
    const path = namedPath(written, from, where);
    files.push(path);
    return collect(problems, () => read(path), { ...from, key: `tools.${section}.policy_file` });
  };
  const file = named("policy", readPolicyFile);
  const lines = named("adversarial_policy", readPolicyLines) ?? [];

  const inline = (owner: OwnedRule["owner"]) =>
    config.tools[owner].rules.map(
      (rule, n): WrittenRule => ({
        owner,
        rule,
        key: `tools.${owner}.rules[${n}]`,
        place: (...below) => where.placeOf(["tools", owner, "rules", n, ...below]),
      }),
    );
  const fromFile = (file?.rules ?? []).map(
    (rule, n): WrittenRule => ({ owner: "policy", rule, key: `rules[${n}]`, place: (...below) => file!.placeOf(["rules", n, ...below]) }),
  );
  const written = [...inline("policy"), ...fromFile, ...inline("authorization")];
  const tooMany = countProblem(written.length);
  if (tooMany) problems.push({ ...written.at(-1)!.place(), message: `With those of every list and file, ${tooMany}` });
  if (problems.length > 0) throw new ConfigError(problems);

  const rulesOf = (owner: OwnedRule["owner"]) => written.filter((one) => one.owner === owner).map(({ rule }) => byOwner(rule));
  return {
    live: asLive({ ...config, tools: { ...config.tools, scoped: scopedByOwner(scoped) } }),
    policy: { ...policy, rules: rulesOf("policy") },
    authorization: { ...authorization, rules: rulesOf("authorization") },
    adversarial: { ...adversarial_policy, policies: [...adversarial_policy.policies, ...lines] },
    files,
    regexes: regexSearch,
    placeOf(owner, n) {
      const { file, line } = written.filter((one) => one.owner === owner)[n]?.place() ?? {};
      return file === undefined ? null : placeText({ file: nameOf(file), ...(line !== undefined && { line }) });
    },
    written,
  };
}

/** What is wrong with a file as a whole is told where it is named: the file itself may not even be there. */
function collect<T>(problems: Problem[], read: () => T, by: Pick<Problem, "file" | "line" | "key">): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(
      ...error.problems.map((one) => (one.line === undefined ? { ...by, message: `"${by.key}" names ${one.file}. ${one.message}` } : one)),
    );
    return null;
  }
}

/** Rules under another name of a tool hold for the tool. */
const owner = (name: string): string => ALIASES.get(name.trim().toLowerCase()) ?? name;

const byOwner = ({ tool, tools, ...rule }: PolicyRule): PolicyRule => ({
  ...rule,
  ...(tool !== undefined && { tool: owner(tool) }),
  ...(tools && { tools: tools.map(owner) }),
});

const scopedByOwner = ({ denied_tools, allowed_tools, constraints, ...rest }: Config["tools"]["scoped"]): Config["tools"]["scoped"] => ({
  ...rest,
  denied_tools: denied_tools.map(owner),
  allowed_tools: allowed_tools.map(owner),
  constraints: constraints.map((one) => ({ ...one, tool: owner(one.tool) })),
});
