import type { Authenticator } from "../../core/ports/fleet-person.ts";
import type { Pg } from "../../store/pg/pg.ts";

/** Access tokens of somebody else's: of a company's identity provider. */
export interface OidcSettings {
  readonly issuer: string;
  /** Our own name in its tokens. */
  readonly audience: string;
  /** Where its keys are. Default: what the issuer's discovery document says. */
  readonly jwks?: string;
  /** Claims. Default: `tenant`, `sub` and `groups`. */
  readonly tenantClaim?: string;
  readonly personClaim?: string;
  readonly groupsClaim?: string;
  /** The groups that give each role. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** The tenant of tokens without such a claim. Default: they are refused. */
  readonly usualTenant?: string;
}

export interface AuthenticatorParts {
  /** As the role `zeph_gateway`, of whichever tenant. */
  readonly db: Pg;
  readonly oidc?: OidcSettings;
}

/** Knows people by tokens of our own and, where one is named, by an issuer's. */
export function createAuthenticator(_parts: AuthenticatorParts): Authenticator {
  throw new Error("Not there yet.");
}
