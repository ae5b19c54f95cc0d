import { ModelError } from "../core/model-error.ts";
import { attempt } from "../text/attempt.ts";

export type ModelVariables = Readonly<Record<string, string | undefined>>;

/** The proxy a request to this address goes through, by the variables every program reads; null when it goes directly. Throws a ModelError. */
export function proxyFor(address: string, env: ModelVariables = process.env): URL | null {
  const url = new URL(address);
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const given = variable(env, name);
  if (given === undefined || isSpared(url, variable(env, "no_proxy") ?? "")) return null;
  const proxy = attempt(() => new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `http://${given}`), null);
  // What it says may hold a password.
  if (!proxy || proxy.hostname === "")
    throw new ModelError("bad_request", `${name.toUpperCase()} is not the address of a proxy: http://name:port.`);
  if (!/^https?:$/.test(proxy.protocol))
    throw new ModelError(
      "bad_request",
      `${name.toUpperCase()} names a proxy of the kind ${proxy.protocol.slice(0, -1)}; only http and https are known.`,
    );
  return proxy;
}

/** As other programs have it, the small letters come first. */
const variable = (env: ModelVariables, name: string): string | undefined =>
  (env[name]?.trim() || env[name.toUpperCase()]?.trim()) ?? undefined;

const OWN_MACHINE = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/;

/** This machine is never behind its proxy. Otherwise: `*`, a name with everything below it, `.name`, an address; each with a port or without. */
function isSpared({ hostname, port, protocol }: URL, list: string): boolean {
  if (OWN_MACHINE.test(hostname)) return true;
  const asked = port || (protocol === "https:" ? "443" : "80");
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", only] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      const bare = name.replace(/^\*?\./, "");
      return bare !== "" && (only === undefined || only === asked) && (hostname === bare || hostname.endsWith(`.${bare}`));
    });
}
