import { CLIENT_SWITCHES, type ClientSwitch } from "../src/core/clients/client-switches.ts";
import { HOOK_CLIENTS } from "../src/hook/find-client.ts";

const ASK = {
  shown: "the agent asks",
  terminal: "the agent asks, with a terminal only",
  extension: "our extension asks, where somebody is there",
  never: "no: a question lets the call run",
} as const;
const REWRITE = { bare: "yes", "with allow": "only together with a permission", no: "no" } as const;
const REPLACE = { text: "yes", "as an error": "only as a failure, so for secrets alone", no: "no" } as const;

/** The tables of docs/hooks-clients.md: what each client can do, and which tools are known of it. */
export function hookTables(): string {
  const clients = Object.values(HOOK_CLIENTS);
  const abilities = clients.map(
    ({ name, tested, can }) =>
      `| ${name} | ${tested ?? "untested"} | ${ASK[can.ask]} | ${REWRITE[can.rewrite]} | ${REPLACE[can.replaceOutput]} | ${can.crash} | ${can.timeout} | ${can.modes.join(", ")} |`,
  );
  const tools = clients.map(({ name, tools: known, harmless }) => {
    const of = (...rows: readonly string[]) =>
      Object.entries(known)
        .filter(([, { row }]) => rows.includes(row))
        .map(([tool]) => `\`${tool}\``)
        .join(", ") || "–";
    const left = [...harmless].map((tool) => `\`${tool}\``).join(", ") || "–";
    return `| ${name} | ${of("bash")} | ${of("read", "search")} | ${of("write", "edit")} | ${of("fetch")} | ${left} |`;
  });
  return [
    "| Agent | Version seen | A question | Another input | Another output | If the hook crashes, the call | If it takes too long, the call | Modes |",
    "|---|---|---|---|---|---|---|---|",
    ...abilities,
    "",
    "| Agent | Commands | Reads and searches | Writes and edits | Pages | Left to the agent |",
    "|---|---|---|---|---|---|",
    ...tools,
  ].join("\n");
}

/** What switches hooks off, and what was thought to and does not. */
export function switchTable(): string {
  const clients = Object.keys(HOOK_CLIENTS).filter((name) => CLIENT_SWITCHES.some(({ client }) => client === name));
  const rows = clients.map((name) => {
    const of = (effect: ClientSwitch["effect"]) =>
      CLIENT_SWITCHES.filter((one) => one.client === name && one.effect === effect)
        .map(({ name: what, basis }) => `${marked(what)}${basis === "tried" ? "" : " (from its documents)"}`)
        .join("; ") || "–";
    return `| ${name} | ${of("off")} | ${of("in force")} |`;
  });
  return ["| Agent | Zeph is not asked with | Zeph is asked all the same with |", "|---|---|---|", ...rows].join("\n");
}

/** Names of settings, variables and options stand in code. */
const marked = (text: string): string =>
  text.replaceAll(
    /(?:-c |--disable )?(?<![\w`])(?:--?[a-z][\w-]*|[A-Z][A-Z]+_[A-Z_]+|[a-z]+[A-Z]\w+(?:\.\w+)*|\.env|\.qwen\/\.env|\w+\.(?:json|toml|hooks|codex_hooks|enableHooks)\S*|[a-z]+_[a-z_]+)(?:(?<=disable) hooks)?/g,
    (word) => `\`${word}\``,
  );

/** The page with its tables as they are now. */
export const hooksPage = (page: string): string =>
  page
    .replace(/<!-- switches -->[\s\S]*<!-- end of switches -->/, () => `<!-- switches -->\n${switchTable()}\n<!-- end of switches -->`)
    .replace(/<!-- tables -->[\s\S]*<!-- end of tables -->/, () => `<!-- tables -->\n${hookTables()}\n<!-- end of tables -->`);
