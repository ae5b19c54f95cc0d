import type { ServerConfig } from "../../config.ts";

/** Takes out of a text what the configuration gives a server in confidence: values of its environment and of its headers. */
export function secretsOf({
  env,
  headers,
  client_secret = "",
}: Pick<ServerConfig, "env" | "headers" | "client_secret">): (text: string) => string {
  const values = [client_secret, ...Object.values(env), ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])]
    .filter((value) => value.length >= SHORTEST)
    // The longest first: one may be a part of another.
    .sort((a, b) => b.length - a.length);
  return (text) => values.reduce((left, value) => left.replaceAll(value, "***"), text);
}

/** Shorter ones ("1", "true", "en") are no secret, and would tear words apart. */
const SHORTEST = 6;

/**
 * The same for what a server answers, where only what is a secret by its name or its looks is taken out: a folder that is given in a
 * variable stands in every second answer.
 */
export function answerSecretsOf(
  { env, headers, client_secret = "" }: Pick<ServerConfig, "env" | "headers" | "client_secret">,
  more: readonly string[] = [],
): (text: string) => string {
  const given = [
    ...Object.entries(env),
    ...Object.entries(headers).flatMap(([name, value]) => value.split(/\s+/).map((part) => [name, part] as const)),
  ];
  const values = given
    .filter(([name, value]) => SECRET_FLAG.test(name) || SECRET_NAME.test(name) || looksSecret(value))
    .map(([, value]) => value);
  return secretsOf({ env: {}, headers: Object.fromEntries([...values, ...more].map((value, n) => [n, value])), client_secret });
}

const SECRET_NAME = /key|cookie|session|private|signature/i;
/** Long, of letters and digits, and no path; or an address with a password in it. */
const looksSecret = (value: string): boolean =>
  (/^[\w+=.~-]{20,}$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value)) || /^\w+:\/\/[^/\s]*:[^/\s]+@/.test(value);

/** A copy of some data, with this done to every text in it, names too. Not for what is nested without end. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), mapTexts(one, change)]));
}

/** The command line or the address as it may be shown. */
export function shownAt(server: ServerConfig): string {
  const scrub = secretsOf(server);
  if (server.url !== undefined) return scrub(shownUrl(server.url));
  const hidden = server.args.map((arg, n) => {
    const [, flag] = /^(--?[\w.-]+)=/.exec(arg) ?? [];
    if (flag !== undefined && SECRET_FLAG.test(flag)) return `${flag}=***`;
    const before = server.args[n - 1];
    return before !== undefined && /^--?[\w.-]+$/.test(before) && SECRET_FLAG.test(before) ? "***" : arg;
  });
  return scrub([server.command, ...hidden].join(" "));
}

const SECRET_FLAG = /token|secret|passw|api-?_?key|auth|credential|bearer/i;

/** No name and password, and no values of a query. */
export function shownUrl(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, "***");
  url.hash = "";
  return url.href;
}
