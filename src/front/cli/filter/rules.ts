import type { FilterDesk, ListedRule } from "../../../runtime/filter/standalone-filter.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { UsageError } from "../io.ts";
import { jsonLine, warn } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** `zeph filter rules [name]`: what is in force and where it comes from; with a name, the rule itself. */
export function listRules([name, ...more]: readonly string[], form: "text" | "json") {
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many. Usage: zeph filter rules [name] [--json]`);
  return async (desk: FilterDesk, terminal: Terminal): Promise<number> => {
    for (const message of desk.warnings) warn(terminal, message);
    const rules = desk.rules();
    const shown = name === undefined ? rules : rules.filter((rule) => rule.name === name);
    if (name !== undefined && shown.length === 0)
      throw new UsageError(
        `There is no rule "${name}".${didYouMean(
          name,
          rules.map(({ name }) => name),
        )}`,
      );
    if (form === "json") terminal.stdout.write(jsonLine(shown));
    else terminal.stdout.write(name === undefined ? table(rules, terminal) : shown.map(whole).join("\n"));
    return 0;
  };
}

function table(rules: readonly ListedRule[], { out }: Terminal): string {
  if (rules.length === 0) return "No rules are in force: tools.filters.enabled is false, or your file does not inherit ours.\n";
  const width = Math.max(...rules.map(({ name }) => name.length));
  const kind = Math.max(...rules.map(({ strategy }) => strategy.length));
  return rules
    .map((rule) => `${visible(rule.name).padEnd(width)}  ${rule.strategy.padEnd(kind)}  ${out.dim(visible(origin(rule)))}\n`)
    .join("");
}

const origin = ({ origin, file }: ListedRule): string => (origin === "user" ? file : `built-in, ${file}`);

const whole = (rule: ListedRule): string => `# ${visible(origin(rule))}\n${visible(rule.toml)}\n`;
