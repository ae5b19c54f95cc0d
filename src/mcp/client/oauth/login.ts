import { randomBytes } from "node:crypto";
import type { OAuthClientProvider, OAuthDiscoveryState, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { ToolError } from "../../../core/error.ts";
import { version } from "../../../files/version.ts";
import { type Fetch, mayBeAsked } from "./auth-fetch.ts";
import { openCallback } from "./callback.ts";
import type { OAuthGrant } from "./tokens.ts";

/** A client that the authorization server knows already, or can read about at this https address. */
export interface Registered {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly metadataUrl?: string;
}

/** The challenge of a server that refused. */
export interface Challenge {
  readonly scope?: string;
  readonly resourceMetadataUrl?: URL;
}

interface Login {
  readonly name: string;
  readonly url: string;
  readonly registered: Registered;
  readonly challenge: Challenge;
  readonly before: OAuthGrant | undefined;
  readonly fetch: Fetch;
  /** Gets the address to open, and whom the person signs in at: not always who is at that address. */
  readonly show: (url: string, issuer: string) => void;
  readonly signal: AbortSignal;
}

/** Discovery, registration, the person's yes, and a token. Everything is discovered anew: the server may have moved to another authorization server. */
export async function signInAt(login: Login): Promise<OAuthGrant> {
  const { name, url, registered, challenge, before, show, signal } = login;
  const { auth, exchangeAuthorization, validateAuthorizationResponseIssuer } = await import("@modelcontextprotocol/client");
  const fetch: Fetch = (address, init) => login.fetch(address, { ...init, signal });
  const state = randomBytes(32).toString("base64url");
  const callback = await openCallback({ state, signal, port: portOf(before?.client) });
  try {
    const begun = beginning(callback.url, state, registered, before);
    await auth(begun.provider, { ...challenge, serverUrl: url, fetchFn: fetch, forceReauthorization: true });
    const { discovery, client, page, verifier, resource } = begun.result();
    if (!mayBeAsked(page, new URL(url)))
      throw new ToolError("policy_blocked", `The page to sign in at has to be reached by https: ${page.origin}`);
    const metadata = discovery.authorizationServerMetadata;
    const issuer = metadata?.issuer ?? discovery.authorizationServerUrl;
    // Before the person is asked anything, and before the secret is sent anywhere.
    refuseOtherIssuer(login, issuer);
    show(page.href, new URL(issuer).host);
    const answer = await callback.answer;
    const iss = answer.get("iss") ?? undefined;
    // Before anything else in the answer is read: it may come from a server that pretends to be this one.
    const issParameterSupported = metadata?.authorization_response_iss_parameter_supported === true;
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported });
    const code = answer.get("code");
    if (code === null) throw new ToolError("policy_blocked", refusal(answer.get("error")));
    const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: callback.url,
      fetchFn: fetch,
      ...(iss !== undefined && { iss }),
      ...(metadata && { metadata }),
      ...(resource !== undefined && { resource }),
    });
    const scope = tokens.scope ?? page.searchParams.get("scope") ?? undefined;
    return {
      tokens: { ...tokens, issuer, ...(scope !== undefined && { scope }) },
      client,
      server: {
        authorizationServerUrl: discovery.authorizationServerUrl,
        ...(metadata && { authorizationServerMetadata: metadata }),
        ...(resource !== undefined && { resource }),
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    throw inWords(error, name);
  } finally {
    callback.close();
  }
}

/** A client from the configuration belongs to one authorization server: the MCP server cannot have its secret sent to another one. */
function refuseOtherIssuer({ name, registered, before }: Login, issuer: string): void {
  if (registered.clientId === undefined || before?.client?.client_id !== registered.clientId || !before.server) return;
  const known = before.server.authorizationServerMetadata?.issuer ?? before.server.authorizationServerUrl;
  if (known === issuer) return;
  throw new ToolError(
    "policy_blocked",
    `The MCP server "${name}" now names another authorization server: ${shownIssuer(issuer)}, before it was ${shownIssuer(known)}. The client of your configuration was used at that one, so nothing was sent. If the change is right: zeph mcp logout ${name}, and sign in again.`,
  );
}

const shownIssuer = (issuer: string): string => {
  const { origin, pathname } = new URL(issuer);
  return `${origin}${pathname === "/" ? "" : pathname}`.slice(0, 200);
};

/** The provider that the SDK asks and tells while it prepares a login, for this login alone. */
function beginning(redirectUrl: string, state: string, registered: Registered, before: OAuthGrant | undefined) {
  let client: StoredOAuthClientInformation | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  let page: URL | undefined;
  let verifier = "";
  let resource: string | undefined;
  const { clientId, clientSecret, metadataUrl } = registered;
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(metadataUrl !== undefined && { clientMetadataUrl: metadataUrl }),
    clientMetadata: {
      client_name: "Zeph",
      software_id: "zeph",
      software_version: version(),
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      // A program on the person's machine keeps no secret, unless it is given one.
      token_endpoint_auth_method: "none",
    },
    state: () => state,
    clientInformation: (about) => {
      if (clientId !== undefined)
        return {
          client_id: clientId,
          ...(clientSecret !== undefined && { client_secret: clientSecret }),
          // Whether it belongs there is looked at elsewhere.
          ...(about?.issuer !== undefined && { issuer: about.issuer }),
        };
      return client ?? reusable(before?.client, redirectUrl);
    },
    saveClientInformation: (given) => {
      client = given;
    },
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: (url) => {
      page = url;
    },
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveResourceUrl: (given) => {
      resource = given;
    },
    saveDiscoveryState: (given) => {
      discovery = given;
    },
    discoveryState: () => discovery,
    invalidateCredentials: (what) => {
      if (what === "all" || what === "client") client = undefined;
      if (what === "all" || what === "discovery") discovery = undefined;
    },
  };
  return {
    provider,
    result: () => {
      const known = client ?? (provider.clientInformation() as StoredOAuthClientInformation | undefined);
      if (!known || !discovery || !page || !verifier) throw new Error("The authorization server was not asked.");
      return { client: known, discovery, page, verifier, resource };
    },
  };
}

/** A registration counts for the address it was made with. That it was made by this authorization server the SDK sees to. */
const reusable = (client: StoredOAuthClientInformation | undefined, redirectUrl: string) =>
  redirectsOf(client).includes(redirectUrl) ? client : undefined;

const redirectsOf = (client: StoredOAuthClientInformation | undefined): readonly unknown[] => {
  const uris = (client as { redirect_uris?: unknown } | undefined)?.redirect_uris;
  return Array.isArray(uris) ? uris : [];
};

function portOf(client: StoredOAuthClientInformation | undefined): number | undefined {
  const uri = redirectsOf(client).find((given): given is string => typeof given === "string" && URL.canParse(given));
  const port = uri === undefined ? 0 : Number(new URL(uri).port);
  return port >= 1024 ? port : undefined;
}

const refusal = (error: string | null): string =>
  error === "access_denied"
    ? "The login was denied."
    : `The authorization server refused the login${error !== null && /^[a-z_]{1,40}$/.test(error) ? `: ${error}` : ""}.`;

/** What the other side wrote is not repeated: it may contain anything, also what was sent to it. */
function inWords(error: unknown, name: string): ToolError {
  if (error instanceof ToolError) return error;
  const brand = brandOf(error);
  const { code, kind, status } = (error ?? {}) as { code?: unknown; kind?: unknown; status?: unknown };
  const why =
    brand === "mcp.IssuerMismatchError"
      ? kind === "metadata"
        ? "its authorization server says it is another one"
        : "the answer came from another authorization server than the one that was asked"
      : brand === "mcp.RegistrationRejectedError"
        ? `its authorization server did not register Zeph (HTTP ${Number(status)})`
        : typeof code === "string" && /^[a-z_]{1,40}$/.test(code)
          ? `its authorization server said ${code}`
          : PLAIN.find(([start]) => error instanceof Error && error.message.startsWith(start))?.[1];
  return new ToolError(
    "policy_blocked",
    `Signing in at the MCP server "${name}" failed: ${why ?? "its authorization server did not answer as it should"}.`,
  );
}

/** How the SDK knows its own errors. Asking this way does not load it. */
export const brandOf = (error: unknown): unknown =>
  error instanceof Error ? (error.constructor as { mcpBrand?: unknown }).mcpBrand : undefined;

const PLAIN: readonly (readonly [start: string, words: string])[] = [
  ["Nobody signed in", "nobody signed in within five minutes"],
  ["Protected resource", "it says that its tokens are for another server"],
  ["Incompatible auth server: does not support dynamic", "its authorization server registers no clients by itself"],
  ["Incompatible auth server", "its authorization server does not support the OAuth that Zeph uses"],
  ["fetch failed", "its authorization server could not be reached"],
];
