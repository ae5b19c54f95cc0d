import type { AuthProvider, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { ToolError } from "../../../core/error.ts";
import { LoginNeeded } from "../errors.ts";
import { createAuthFetch, type Fetch } from "./auth-fetch.ts";
import { brandOf, type Challenge, type Registered, signInAt } from "./login.ts";
import type { OAuthGrant, Tokens } from "./tokens.ts";

/** The person's account at one server, as its authorization server granted it. */
export interface Account {
  /** For the transport. It sends the token, renews one that is no longer taken, and never begins a login. */
  readonly auth: Required<AuthProvider>;
  /** Whether this error of the transport means that the person has to sign in (again). What the server said it wants is kept for the login. */
  needsLogin(error: unknown): boolean;
  /** One login, from discovery to a token that is kept. `show` gets the address that the person is to open, and the host of whoever they sign in at. */
  signIn(show: (url: string, issuer: string) => void, signal: AbortSignal): Promise<void>;
  /** Forgets everything. False when there was nothing. */
  signOut(): boolean;
}

export interface AccountParts {
  /** The server to sign in at: the same name at another address is another server. */
  readonly name: string;
  readonly url: string;
  readonly tokens: Tokens;
  /** For an authorization server where clients are registered by hand, or read their description from an address. */
  readonly registered?: Registered;
  readonly fetch?: Fetch;
}

/** Several calls that are refused together renew the token once. */
const RENEWED_MS = 3000;

export function createAccount({ name, url, tokens, registered = {}, fetch: given }: AccountParts): Account {
  const who = { name, url };
  const fetch = createAuthFetch(url, given);
  let challenge: Challenge = {};
  let renewing: Promise<void> | null = null;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const renew = async () => {
    const grant = tokens.read(who);
    if (!grant?.tokens?.refresh_token) throw new LoginNeeded(name);
    const renewed = await refresh(grant, fetch, name);
    const now = tokens.read(who);
    // Another process that was quicker has used our refresh token up. What it got is as good.
    const overtaken = now?.tokens !== undefined && now.tokens.refresh_token !== grant.tokens.refresh_token;
    if (renewed !== "refused") tokens.write(who, { ...grant, tokens: renewed });
    else if (!overtaken) {
      tokens.write(who, without(grant));
      throw new LoginNeeded(name);
    }
    renewedAt = performance.now();
  };

  return {
    auth: {
      token: async () => tokens.read(who)?.tokens?.access_token,
      onUnauthorized: async ({ response }) => {
        const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
        challenge = challengeOf(extractWWWAuthenticateParams(response));
        await response.body?.cancel().catch(() => {});
        if (performance.now() - renewedAt < RENEWED_MS) return;
        renewing ??= renew().finally(() => {
          renewing = null;
        });
        await renewing;
      },
    },
    needsLogin: (thrown) => {
      const error = origin(thrown);
      if (brandOf(error) === "mcp.InsufficientScopeError") {
        const { requiredScope, resourceMetadataUrl } = error as { requiredScope?: string; resourceMetadataUrl?: URL };
        const had = tokens.read(who)?.tokens?.scope;
        challenge = challengeOf({ scope: union(had, requiredScope), resourceMetadataUrl });
      }
      return error !== null;
    },
    signIn: async (show, signal) => {
      const grant = await signInAt({ name, url, registered, challenge, before: tokens.read(who), fetch, show, signal });
      tokens.write(who, grant);
      challenge = {};
      renewedAt = Number.NEGATIVE_INFINITY;
    },
    signOut: () => tokens.remove(who),
  };
}

/** Refused: this refresh token is worth nothing any more. Whatever else goes wrong may go right the next time. */
async function refresh(grant: OAuthGrant, fetch: Fetch, name: string): Promise<StoredOAuthTokens | "refused"> {
  const { OAuthError, OAuthErrorCode, refreshAuthorization } = await import("@modelcontextprotocol/client");
  const { tokens, client, server } = grant;
  if (!tokens?.refresh_token || !client || !server) return "refused";
  const { authorizationServerMetadata: metadata, resource } = server;
  try {
    const renewed = await refreshAuthorization(server.authorizationServerUrl, {
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      fetchFn: fetch,
      ...(metadata && { metadata }),
      ...(resource !== undefined && { resource }),
    });
    return { ...(tokens.scope !== undefined && { scope: tokens.scope }), ...renewed, ...(tokens.issuer && { issuer: tokens.issuer }) };
  } catch (error) {
    const passing: readonly string[] = [OAuthErrorCode.ServerError, OAuthErrorCode.TemporarilyUnavailable, OAuthErrorCode.TooManyRequests];
    if (error instanceof OAuthError && !passing.includes(error.code)) return "refused";
    // What the other side wrote may contain anything, also what was sent to it.
    throw new ToolError(
      "network_error",
      `The sign-in at the MCP server "${name}" could not be renewed. Its authorization server did not answer.`,
    );
  }
}

const MOST_CAUSES = 5;
/** The error among the causes of this one that says who is missing. */
function origin(error: unknown): unknown {
  for (let at = error, n = 0; at instanceof Error && n < MOST_CAUSES; at = at.cause, n += 1)
    if (at instanceof LoginNeeded || REFUSALS.includes(brandOf(at)) || (at as { code?: unknown }).code === "CLIENT_HTTP_AUTHENTICATION")
      return at;
  return null;
}
const REFUSALS: readonly unknown[] = ["mcp.InsufficientScopeError", "mcp.UnauthorizedError"];

const without = ({ tokens: _, ...rest }: OAuthGrant): OAuthGrant => rest;

const union = (...scopes: readonly (string | undefined)[]): string | undefined =>
  [...new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter(Boolean))].join(" ") || undefined;

const LONGEST = 4096;
/** A server that asks for megabytes of scopes asks for none. */
const challengeOf = ({ scope, resourceMetadataUrl }: { scope?: string | undefined; resourceMetadataUrl?: URL | undefined }): Challenge => ({
  ...(scope !== undefined && scope.length <= LONGEST && { scope }),
  ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
});
