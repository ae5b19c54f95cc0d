import type { KeyReader } from "../../config/api-keys.ts";
import type { ServerConfig } from "../../mcp/config.ts";

/** `${NAME}` in a variable or a header stands for a key: from the environment, or the private file with keys. A header without its value is left out. A variable is empty then: by the names of its variables a server is known again. `${WORKSPACE}` and `${DATA}` are no keys: they are filled in when the program is started. */
export function withKeys(server: ServerConfig, keys: KeyReader, warn: (message: string) => void): ServerConfig {
  const fill = (kind: "variable" | "header", texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => {
        const missing = namesIn(text).filter((key) => keys(key) === undefined);
        if (missing.length === 0)
          return [[name, text.replace(NAMED, (text, key: string) => (FILLED_LATER.has(key) ? text : keys(key)!))] as const];
        warn(
          `The MCP server "${server.name}" ${kind === "header" ? "does without the header" : "gets an empty variable"} ${name}: ${missing.join(", ")} has no value. Set it in the environment, or in keys.toml beside your configuration.`,
        );
        return kind === "header" ? [] : [[name, ""] as const];
      }),
    );
  const secret = server.client_secret?.replace(NAMED, (_, key: string) => keys(key) ?? "");
  return {
    ...server,
    env: fill("variable", server.env),
    headers: fill("header", server.headers),
    ...(secret !== undefined && { client_secret: secret }),
  };
}

/** They are known when the program is started. */
const FILLED_LATER: ReadonlySet<string> = new Set(["WORKSPACE", "DATA"]);
const NAMED = /\$\{([A-Za-z_]\w*)\}/g;

const namesIn = (text: string): string[] => [...text.matchAll(NAMED)].map(([, name]) => name!).filter((name) => !FILLED_LATER.has(name));
