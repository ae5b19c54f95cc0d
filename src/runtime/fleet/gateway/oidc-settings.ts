import type { FleetConfig } from "../../../fleet/config.ts";
import type { OidcSettings } from "../../../fleet/govern/oidc.ts";

/** Whose tokens are taken besides our own, as the configuration says it; undefined for nobody's. */
export function readOidcSettings({ oidc }: Pick<FleetConfig, "oidc">): OidcSettings | undefined {
  if (oidc.issuer === "") return undefined;
  return {
    issuer: oidc.issuer,
    audience: oidc.audience,
    ...(oidc.jwks !== "" && { jwks: oidc.jwks }),
    tenantClaim: oidc.tenant_claim,
    personClaim: oidc.person_claim,
    groupsClaim: oidc.groups_claim,
    ...(oidc.tenant !== "" && { usualTenant: oidc.tenant }),
    roles: oidc.roles,
  };
}
