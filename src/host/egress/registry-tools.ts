import { isIP } from "node:net";
import { attempt } from "../../text/attempt.ts";
import { closedNameReason } from "./judge.ts";

/** A package manager, and how it is asked where it loads from. No host stands here: what a tool does not say is not known. */
export type RegistryTool =
  | { readonly program: string; readonly args: readonly string[]; read(printed: string): readonly string[] }
  /** Tools that print no settings: where the settings lie, below the home or as a whole path. */
  | { readonly file: string; read(text: string): readonly string[] };

export const REGISTRY_TOOLS: readonly RegistryTool[] = [
  { program: "npm", args: ["config", "list", "--json"], read: npmRegistries },
  { program: "pnpm", args: ["config", "list", "--json"], read: npmRegistries },
  { program: "yarn", args: ["config", "get", "registry"], read: urlsIn },
  { program: "yarn", args: ["config", "get", "npmRegistryServer"], read: urlsIn },
  { program: "pip", args: ["config", "list"], read: pipIndexes },
  // Its help names the index it takes when nothing is set.
  {
    program: "pip",
    args: ["install", "--help"],
    read: (printed) => urlsIn(/index-url[^(]{0,400}\(default:?\s+(\S+)\)/s.exec(printed)?.[1] ?? ""),
  },
  { program: "go", args: ["env", "GOPROXY", "GOSUMDB"], read: goProxies },
  { program: "apt-get", args: ["indextargets", "--format", "$(REPO_URI)"], read: urlsIn },
  { file: ".config/uv/uv.toml", read: (text) => tomlUrls(text, ["url", "index-url", "extra-index-url", "default-index"]) },
  { file: ".cargo/config.toml", read: (text) => tomlUrls(text, ["index", "registry"]) },
  { file: ".cargo/config", read: (text) => tomlUrls(text, ["index", "registry"]) },
  { file: ".m2/settings.xml", read: xmlUrls },
  { file: "/etc/maven/settings.xml", read: xmlUrls },
];

/** Variables by which a person names a registry, in place of any file. */
export const REGISTRY_VARIABLES = /^(?:UV_(?:DEFAULT_INDEX|INDEX_URL|EXTRA_INDEX_URL)|CARGO_REGISTRIES_\w+_INDEX|CARGO_REGISTRY_INDEX)$/;

/** The host of each address that could be opened. User names and passwords in it go no further than here. */
export function registryHosts(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const url = attempt(() => new URL(address.replace(/^sparse\+/, "")), null);
    if (url === null || !["http:", "https:"].includes(url.protocol) || !["", "443", "80"].includes(url.port)) return [];
    const host = url.hostname.toLowerCase().replace(/\.$/, "");
    return isIP(host) === 0 && closedNameReason(host) === null ? [host] : [];
  });
}

export function urlsIn(text: string): string[] {
  return text.match(/(?:sparse\+)?https?:\/\/[^\s"'`,;<>()|]{1,2000}/g) ?? [];
}

/** `registry`, and one for each scope. */
function npmRegistries(printed: string): string[] {
  const settings: unknown = attempt(() => JSON.parse(printed.slice(printed.indexOf("{"))), null);
  if (typeof settings !== "object" || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) =>
    (key === "registry" || /^@[^:]+:registry$/.test(key)) && typeof value === "string" ? [value] : [],
  );
}

function pipIndexes(printed: string): string[] {
  return printed.split("\n").flatMap((line) => (/^[\w:.-]*\.(?:extra-)?index-url=/.test(line) ? urlsIn(line) : []));
}

/** `GOPROXY` is a list; `GOSUMDB` is a name, with its key and its address perhaps. */
function goProxies(printed: string): string[] {
  const [proxies = "", database = ""] = printed.split("\n");
  const name = /^[a-z0-9.-]+\.[a-z]+/i.exec(database.trim())?.[0];
  return [...urlsIn(proxies), ...urlsIn(database), ...(name === undefined ? [] : [`https://${name}/`])];
}

function tomlUrls(text: string, keys: readonly string[]): string[] {
  const line = new RegExp(`^\\s*(?:${keys.join("|")})\\s*=(.*)$`);
  return text.split("\n").flatMap((one) => urlsIn(line.exec(one)?.[1]?.replace(/\s#.*$/, "") ?? ""));
}

function xmlUrls(text: string): string[] {
  const plain = text.replace(/<!--.*?-->/gs, "");
  return [...plain.matchAll(/<url>\s*([^<\s]{1,2000})\s*<\/url>/g)].flatMap(([, url]) => urlsIn(url!));
}
