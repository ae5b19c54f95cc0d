import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/**
 * Ways to a token that are extensions of the protocol. Zeph has no setting for them, and no account makes them: what is shown with these is
 * that its connection takes whatever provider the SDK has. Null for a scenario where our own account signs in.
 */
export async function extensionProvider(scenario: string, context: Record<string, string>): Promise<OAuthClientProvider | null> {
  const sdk = await import("@modelcontextprotocol/client");
  const { client_id: clientId = "", client_secret: clientSecret = "" } = context;
  switch (scenario) {
    case "auth/client-credentials-basic":
      return new sdk.ClientCredentialsProvider({ clientId, clientSecret });
    case "auth/client-credentials-jwt":
      return new sdk.PrivateKeyJwtProvider({
        clientId,
        privateKey: context.private_key_pem!,
        algorithm: context.signing_algorithm ?? "ES256",
      });
    case "auth/enterprise-managed-authorization":
      return new sdk.CrossAppAccessProvider({
        clientId,
        clientSecret,
        assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, fetchFn }) => {
          const idp = { tokenEndpoint: context.idp_token_endpoint!, idToken: context.idp_id_token!, clientId: context.idp_client_id! };
          return (await sdk.requestJwtAuthorizationGrant({ ...idp, audience, resource, fetchFn })).jwtAuthGrant;
        },
      });
    case "auth/wif-jwt-bearer":
      return {
        ...inMemory(undefined),
        clientInformation: () => ({ client_id: clientId }),
        prepareTokenRequest: () =>
          new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: context.valid_jwt! }),
      };
    case "auth/dpop":
    case "auth/dpop-nonce": {
      const session = await sdk.DpopSession.create();
      return { ...inMemory("http://127.0.0.1:9/callback"), dpop: () => session };
    }
    default:
      return null;
  }
}

/** A provider that asks the person, who agrees at once. */
function inMemory(redirectUrl: string | undefined): OAuthClientProvider {
  const kept: { client?: StoredOAuthClientInformation; tokens?: StoredOAuthTokens; discovery?: OAuthDiscoveryState; verifier?: string } =
    {};
  return {
    redirectUrl,
    clientMetadata: { client_name: "Zeph", redirect_uris: redirectUrl === undefined ? [] : [redirectUrl] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (discovery) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
    redirectToAuthorization: async (page) => {
      const back = (await fetch(page, { redirect: "manual" })).headers.get("location");
      throw Object.assign(new Error("the person has agreed"), { answer: new URL(back!).searchParams });
    },
  };
}
