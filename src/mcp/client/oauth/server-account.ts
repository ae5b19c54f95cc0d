import type { ServerConfig } from "../../config.ts";
import type { Account } from "./account.ts";

/** The account at a server with an address; null for a program. Its modules are read only where there is one. */
export async function createServerAccount(
  { name, url, client_id, client_secret }: ServerConfig,
  tokens: string | null,
  warn: (message: string) => void,
): Promise<Account | null> {
  if (url === undefined) return null;
  const [{ createAccount }, { createTokens }] = await Promise.all([import("./account.ts"), import("./tokens.ts")]);
  const registered = {
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
  };
  return createAccount({ name, url, tokens: createTokens(tokens, warn), registered });
}
