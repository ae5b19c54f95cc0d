import type { ServerConfig } from "../config.ts";

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
