import type { NodeConnectionOptions } from "@nats-io/transport-node";

/** Where NATS is, who we are there, and the fleet whose subjects are ours. */
export interface NatsPlace {
  readonly options: Pick<NodeConnectionOptions, "servers" | "user" | "pass" | "token" | "tls">;
  /** What stands after the host of an address: fleets that share a NATS need names of their own. */
  readonly fleet: string | null;
  /** Without passwords. */
  readonly shown: string;
}

/** `nats://user:password@a:4222,nats://b/fleet`: several servers of one NATS. A name alone before the @ is a token; `tls://` asks for TLS, with `?ca=`, `?cert=` and `?key=` as files. */
export function readNatsUrl(text: string): NatsPlace {
  const urls = text.split(",").map((one) => readOne(one.trim(), text));
  const named = urls.find(({ username }) => username !== "");
  const fleets = new Set(urls.map(({ pathname }) => pathname.replace(/^\/|\/$/g, "")).filter((name) => name !== ""));
  if (fleets.size > 1) throw new RangeError("The addresses of the bus name different fleets. Give them one name, or none.");
  const isSafe = urls.some(({ protocol }) => protocol === "tls:");
  return {
    options: {
      servers: urls.map(({ host }) => host),
      ...(named &&
        (named.password === "" ? { token: decode(named.username) } : { user: decode(named.username), pass: decode(named.password) })),
      ...(isSafe && { tls: readFiles(urls) }),
    },
    fleet: [...fleets][0] ?? null,
    shown: urls.map(({ protocol, host }) => `${protocol}//${host}`).join(","),
  };
}

export const isNatsUrl = (text: string): boolean => /^(?:nats|tls):\/\//i.test(text);

function readOne(text: string, whole: string): URL {
  // Only the first address has to say what it is: `nats://a,b,c`.
  const full = isNatsUrl(text) ? text : `${/^tls:/i.test(whole) ? "tls" : "nats"}://${text}`;
  try {
    const url = new URL(full);
    if (url.hostname !== "" && (isNatsUrl(text) || !text.includes("://"))) return url;
  } catch {
    // The message below says it.
  }
  throw new RangeError("A bus is named by the address of its server: nats://host:4222. Several are divided by commas.");
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const TLS_FILES = { ca: "caFile", cert: "certFile", key: "keyFile" } as const;

function readFiles(urls: readonly URL[]): NonNullable<NodeConnectionOptions["tls"]> {
  const named = Object.entries(TLS_FILES).map(([name, option]) => [
    option,
    urls.map(({ searchParams }) => searchParams.get(name)).find((path) => path !== null),
  ]);
  return Object.fromEntries(named.filter(([, path]) => path !== undefined));
}
