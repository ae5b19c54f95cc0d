import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { FLEET_ROLES, type FleetPerson, isPersonName } from "../../core/ports/fleet/person.ts";
import { explainMissing } from "../../store/pg/missing-package.ts";
import { assertTenant } from "../../store/pg/place.ts";
import { attempt } from "../../text/attempt.ts";
import { isRecord } from "../../text/json.ts";
import { assertIssuerAddress, fetchSmall, IssuerAway } from "./bounded-json.ts";

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

/** Signatures that only the issuer can make. A shared secret, or none at all, would let anybody who knows the public key sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
/** How far the issuer's clock may be from ours. */
const CLOCKS_APART_SECONDS = 30;
const MOST_GROUPS = 1000;

/** What is wrong with a token. All else is about the issuer, and says nothing about who sent the token. */
const WRONG: ReadonlySet<unknown> = new Set([
  "ERR_JWT_EXPIRED",
  "ERR_JWT_CLAIM_VALIDATION_FAILED",
  "ERR_JWT_INVALID",
  "ERR_JWS_INVALID",
  "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  "ERR_JWKS_NO_MATCHING_KEY",
  "ERR_JWKS_MULTIPLE_MATCHING_KEYS",
  "ERR_JOSE_ALG_NOT_ALLOWED",
  "ERR_JOSE_NOT_SUPPORTED",
]);

/** Null: the token is not one of this issuer for us. Throws IssuerAway where its keys cannot be had. */
export type CheckIssued = (token: string) => Promise<FleetPerson | null>;

/** Checks tokens of an issuer by its published keys. Those are kept for ten minutes; one that is not among them is looked for at most every half minute. */
export function createOidcCheck(settings: OidcSettings): CheckIssued {
  const { issuer, audience } = settings;
  assertIssuerAddress(issuer);
  if (settings.jwks !== undefined) assertIssuerAddress(settings.jwks);
  if (audience === "")
    throw new RangeError("An issuer's tokens have to name an audience: without one, tokens for others would open us too.");
  let opened: ReturnType<typeof openKeys> | null = null;
  return async (token) => {
    opened ??= openKeys(settings);
    const { jose, keys } = await opened.catch((error) => {
      opened = null;
      throw error;
    });
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["exp"],
        clockTolerance: CLOCKS_APART_SECONDS,
      });
      return personIn(payload, settings);
    } catch (error) {
      if (WRONG.has((error as { code?: unknown }).code)) return null;
      throw error instanceof IssuerAway
        ? error
        : new IssuerAway(`The keys of ${issuer} cannot be had: ${(error as Error).message}`, { cause: error });
    }
  };
}

async function openKeys({ issuer, jwks }: OidcSettings) {
  const jose = await import("jose").catch(explainMissing("jose", "A gateway that takes tokens of an issuer"));
  const url = jwks ?? (await discover(issuer));
  const keys: JWTVerifyGetKey = jose.createRemoteJWKSet(new URL(url), {
    cacheMaxAge: 600_000,
    cooldownDuration: 30_000,
    timeoutDuration: 5000,
    [jose.customFetch]: fetchSmall,
  });
  return { jose, keys };
}

async function discover(issuer: string): Promise<string> {
  const place = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found: unknown = await (await fetchSmall(place)).json().catch(() => null);
  if (!isRecord(found) || found.issuer !== issuer || typeof found.jwks_uri !== "string")
    throw new IssuerAway(`${place} does not describe the issuer ${issuer}.`);
  return found.jwks_uri;
}

function personIn(payload: JWTPayload, settings: OidcSettings): FleetPerson | null {
  const { tenantClaim = "tenant", personClaim = "sub", groupsClaim = "groups", roles, usualTenant } = settings;
  const claim = (name: string): unknown => (Object.hasOwn(payload, name) ? payload[name] : undefined);
  const person = claim(personClaim);
  const named = claim(tenantClaim) ?? usualTenant;
  const tenant = typeof named === "string" ? attempt(() => assertTenant(named), null) : null;
  if (!isPersonName(person) || tenant === null) return null;
  const groups = new Set(groupsIn(claim(groupsClaim)));
  return { tenant, person, roles: FLEET_ROLES.filter((role) => roles[role]?.some((group) => groups.has(group))) };
}

const groupsIn = (claim: unknown): readonly unknown[] => {
  if (typeof claim === "string") return claim.split(/[ ,]+/);
  return Array.isArray(claim) ? claim.slice(0, MOST_GROUPS) : [];
};
