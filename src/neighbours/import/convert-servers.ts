import { complaints } from "../../config/complain.ts";
import { fetchesPackage } from "../../core/package-runner.ts";
import { isRecord } from "../../text/json.ts";
import type { SourcePath } from "../rules/client-rule.ts";
import { DENIALS_ONLY, type SourceStanding } from "./convert-rules.ts";
import type { ImportLedger } from "./ledger.ts";
import { deniedServerTool } from "./own-tools.ts";
import type { Piece } from "./piece.ts";
import { createSecretValues, type SecretValues, variableName } from "./secret-values.ts";
import { serverName } from "./server-name.ts";
import { createReferences, type References } from "./variable-references.ts";

/** A table of servers: `mcpServers` of most agents, `mcp_servers` of codex, `mcp` of opencode. */
export function convertServers(table: unknown, at: SourcePath, standing: SourceStanding, ledger: ImportLedger): void {
  if (!isRecord(table)) return;
  const secrets = createSecretValues();
  const names = new Set<string>();
  for (const [name, server] of Object.entries(table)) {
    const path = [...at, name];
    const refuse = (why: string) => ledger.claim(path, { list: "not taken", why }, { written: `the server ${name}`, action: null });
    if (!isRecord(server)) refuse("it is no server");
    else if (standing.allows !== "all") {
      denyTools(server, name, path, ledger);
      refuse(DENIALS_ONLY);
    } else if (server.enabled === false || server.disabled === true) refuse("it is switched off");
    else if (names.has(serverName(name).toLowerCase())) refuse("another server has the same name here");
    else {
      names.add(serverName(name).toLowerCase());
      convertServer(name, server, path, secrets, ledger, refuse);
    }
  }
}

interface Draft {
  readonly name: string;
  readonly changes: string[];
  readonly references: References;
  readonly secrets: SecretValues;
}

function convertServer(
  name: string,
  server: Readonly<Record<string, unknown>>,
  path: SourcePath,
  secrets: SecretValues,
  ledger: ImportLedger,
  refuse: (why: string) => void,
): void {
  const changes: string[] = [];
  const draft: Draft = { name, changes, references: createReferences((why) => changes.push(why)), secrets };
  const entry = serverEntry(server, draft);
  if (typeof entry === "string") return void refuse(entry);
  const named = { ...entry, name: serverName(name) };
  if (named.name !== name) changes.push(`it is called ${named.name} here`);
  const wrong = complaints({ mcp: { servers: [named] } });
  if (wrong.length > 0) return void refuse(wrong.map(({ message }) => message.replaceAll("mcp.servers[0].", "")).join(" "));
  denyTools(server, name, path, ledger);
  for (const [key, why] of Object.entries(NOT_TAKEN)) if (key in server) ledger.claim([...path, key], { list: "not taken", why });
  for (const key of Object.keys(server))
    if (!KNOWN.has(key) && !(key in NOT_TAKEN))
      ledger.claim([...path, key], { list: "not taken", why: "Zeph's servers have nothing like it" });
  const pieces: readonly Piece[] = [{ kind: "server", entry: named }];
  const as = { written: `the server ${name}`, action: null };
  ledger.claim(path, changes.length === 0 ? { list: "taken", pieces } : { list: "changed", pieces, why: changes.join("; ") }, as);
}

const KNOWN: ReadonlySet<string> = new Set(
  "command args env environment url httpUrl serverUrl headers http_headers env_http_headers bearer_token_env_var env_vars type includeTools enabled_tools enabled disabled".split(
    " ",
  ),
);

const NOT_TAKEN: Readonly<Record<string, string>> = {
  trust: "whether a server is trusted is never taken over",
  alwaysAllow: "what a server may do unasked is never taken over",
  autoApprove: "what a server may do unasked is never taken over",
  envFile: "a file with variables is not read; name the variables it needs in env",
  cwd: "a server is started in the folder somebody works in",
  oauth: "signing in is done anew: zeph mcp login",
  authProviderType: "signing in is done anew: zeph mcp login",
};

/** The server as our settings write it; a reason where that cannot be. */
function serverEntry(server: Readonly<Record<string, unknown>>, draft: Draft): Record<string, unknown> | string {
  const { changes, references } = draft;
  const address = server.httpUrl ?? server.url ?? server.serverUrl;
  const [program, ...words] = Array.isArray(server.command) ? server.command : [server.command];
  const args = [...words, ...(Array.isArray(server.args) ? server.args : [])];
  const tools = server.includeTools ?? server.enabled_tools;
  const shared = isTexts(tools) && tools.length > 0 ? { tools } : {};
  if (typeof address === "string") {
    if (program !== undefined) return "it has both a command and an address";
    const url = references(address);
    if (url.includes("${")) return "its address holds a variable, and Zeph resolves none there";
    if (draft.secrets.holdsSecret(url) || /\/\/[^/]*@|[?&][^=]*(?:key|token|secret|auth)[^=]*=/i.test(url))
      return "a secret stands in its address; put it into a header";
    if (server.type === "sse") changes.push("Zeph speaks streamable HTTP with it, not SSE");
    const headers = headersOf(server, draft);
    return { url, ...(Object.keys(headers).length > 0 && { headers }), ...shared };
  }
  if (typeof program !== "string" || program === "") return "it has neither a command nor an address";
  if (!isTexts(args)) return "its arguments are no list of texts";
  const made = args.map(references);
  if ([program, ...made].some((word) => /\$\{(?!WORKSPACE\})/.test(word)))
    return "an argument holds a variable, and Zeph resolves those only in env";
  if (made.some((word, n) => holdsSecretWord(word, made[n - 1], draft.secrets)))
    return "a secret stands in its arguments; give it through env";
  const env = variablesOf(server, draft);
  const isFetched = fetchesPackage(program, made);
  if (isFetched)
    changes.push(
      `${program} fetches its package before the first start (network = "install"); the server itself has no network until you name what it may reach`,
    );
  return {
    command: program,
    ...(made.length > 0 && { args: made }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(isFetched && { network: "install" }),
    ...shared,
  };
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

/** `--api-key x`, `--token=x`, or a text that looks like a key. */
function holdsSecretWord(word: string, before: string | undefined, { holdsSecret, isSecret }: SecretValues): boolean {
  const [, name, value] = /^--?([\w-]+)=(.+)$/s.exec(word) ?? [];
  if (name !== undefined && value !== undefined && isSecret(name, value)) return true;
  const option = /^--?([\w-]+)$/.exec(before ?? "")?.[1];
  return (option !== undefined && !word.startsWith("-") && option.length > 1 && isSecret(option, word)) || holdsSecret(word);
}

function variablesOf(server: Readonly<Record<string, unknown>>, draft: Draft): Record<string, string> {
  const given = isRecord(server.env) ? server.env : isRecord(server.environment) ? server.environment : {};
  const names = isTexts(server.env_vars) ? server.env_vars : [];
  return { ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])), ...texts(given, (name) => name, draft) };
}

function headersOf(server: Readonly<Record<string, unknown>>, draft: Draft): Record<string, string> {
  const given = isRecord(server.headers) ? server.headers : isRecord(server.http_headers) ? server.http_headers : {};
  const named = isRecord(server.env_http_headers) ? server.env_http_headers : {};
  const bearer = server.bearer_token_env_var;
  return {
    ...texts(given, (name) => variableName(draft.name, name === "Authorization" ? "token" : name), draft),
    ...Object.fromEntries(Object.entries(named).flatMap(([name, key]) => (typeof key === "string" ? [[name, `\${${key}}`]] : []))),
    ...(typeof bearer === "string" && { Authorization: `Bearer \${${bearer}}` }),
  };
}

/** Values as they are; where one is a secret, the name of a variable in its place. */
function texts(given: Readonly<Record<string, unknown>>, variable: (name: string) => string, { changes, references, secrets }: Draft) {
  return Object.fromEntries(
    Object.entries(given).map(([name, raw]) => {
      const value = references(String(raw));
      if (!secrets.isSecret(name, value)) return [name, value];
      const key = variable(name);
      const [scheme = ""] = /^(?:Bearer|Basic|Token)\s+/i.exec(value) ?? [];
      changes.push(`the value of ${name} is not written: put it into the environment or keys.toml as ${key}`);
      return [name, `${scheme}\${${key}}`];
    }),
  );
}

/** Tools that are left out of a server are denied. */
function denyTools(server: Readonly<Record<string, unknown>>, name: string, path: SourcePath, ledger: ImportLedger): void {
  for (const key of ["excludeTools", "disabled_tools"]) {
    const tools = server[key];
    if (!(key in server)) continue;
    if (!isTexts(tools)) ledger.claim([...path, key], { list: "not taken", why: "it is no list of tools" });
    else {
      const pieces = tools.flatMap((tool) => deniedServerTool(name, tool));
      ledger.claim([...path, key], { list: "taken", pieces });
    }
  }
}
