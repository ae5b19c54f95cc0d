import { resolve } from "node:path";
import { type Problem, placeText } from "../../../config/problem.ts";
import { type Tried, tryRules } from "../../../runtime/rules/policy-trial.ts";
import { visible } from "../../../text/visible.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, warn } from "../run/print.ts";
import { prose } from "../terminal/terminal.ts";

/** The examples beside the rules of a file, held against them. 1 when one fails or a rule is no good. */
export async function policyTest({ words: [file, ...more], flags, settings, terminal }: Invocation): Promise<number> {
  if (file === undefined || more.length > 0)
    throw new UsageError("Name one file, of rules or a whole configuration: zeph policy test <file> [--json]");
  const tried = await tryRules(resolve(file), process.cwd(), settings);
  const { total, failures, warnings, default: effect, from } = tried;
  const { stdout, out } = terminal;
  const ok = failures.length === 0;
  if (flags.json)
    stdout.write(jsonLine({ file, ok, total, failed: failures.filter(isExample).length, default: effect, from, failures, warnings }));
  else {
    for (const failure of failures)
      stdout.write(`${out.red("failed")}  ${out.dim(placeText(failure))}\n${prose(`        ${visible(failure.message)}`, stdout)}\n`);
    for (const warning of warnings) warn(terminal, warning);
    stdout.write(`${prose(summary(file, tried), stdout)}\n`);
  }
  return ok ? 0 : 1;
}

/** Other failures are about a rule itself. */
const isExample = ({ key }: Problem): boolean => /\.(?:allow|deny)\[\d+\]$/.test(key ?? "");

function summary(file: string, { total, failures, default: effect, from }: Tried): string {
  const failed = failures.filter(isExample).length;
  const wrong = failures.length - failed;
  const also = wrong === 0 ? "" : ` ${wrong} ${wrong === 1 ? "rule is" : "rules are"} wrong.`;
  if (total === 0) return `${visible(file)} has no examples: put allow = ["…"] or deny = ["…"] beside a rule.${also}`;
  // An example that no rule matches is decided by this.
  const otherwise = ` What no rule matches is ${effect === "deny" ? "denied" : "allowed"} (${visible(from)}).`;
  return `${total - failed} of ${total} examples ok.${also}${otherwise}`;
}
