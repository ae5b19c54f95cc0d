import type { Authenticator } from "../../core/ports/fleet/person.ts";
import type { Pg } from "../../store/pg/pg.ts";
import { createOidcCheck, type OidcSettings } from "./oidc.ts";
import { findTokenOwner, isOwnToken } from "./tokens.ts";

export interface AuthenticatorParts {
  /** As the role `zeph_gateway`, of whichever tenant. */
  readonly db: Pg;
  readonly oidc?: OidcSettings | undefined;
}

const LONGEST_TOKEN = 16 * 1024;

/** Knows people by tokens of our own and, where one is named, by an issuer's. */
export function createAuthenticator({ db, oidc }: AuthenticatorParts): Authenticator {
  const checkIssued = oidc && createOidcCheck(oidc);
  return {
    async check(authorization = "") {
      if (authorization.length > LONGEST_TOKEN) return null;
      const [, token = ""] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
      if (isOwnToken(token)) return findTokenOwner(db, token);
      return checkIssued && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token) ? checkIssued(token) : null;
    },
    metadata: (resource) => (oidc ? { resource, authorization_servers: [oidc.issuer], bearer_methods_supported: ["header"] } : null),
  };
}
