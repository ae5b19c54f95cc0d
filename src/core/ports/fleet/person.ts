/** What a person may do in a fleet: give tasks, answer for others, govern, read the audit log. */
export const FLEET_ROLES = ["user", "approver", "operator", "auditor"] as const;
export type FleetRole = (typeof FLEET_ROLES)[number];

export const isFleetRole = (word: unknown): word is FleetRole => (FLEET_ROLES as readonly unknown[]).includes(word);

/** A person whom a gateway knows. */
export interface FleetPerson {
  readonly tenant: string;
  /** Unique in the tenant. */
  readonly person: string;
  /** None: known, and allowed nothing. */
  readonly roles: readonly FleetRole[];
}

/** Tells who sent a request. */
export interface Authenticator {
  /** The header as it came. Null: nobody we know, and the request is refused. Throws where nobody can tell now: the database, or the issuer, is away. */
  check(authorization: string | undefined): Promise<FleetPerson | null>;
  /** The answer to `/.well-known/oauth-protected-resource` for this address of ours; null where nobody else issues tokens. */
  metadata(resource: string): ProtectedResource | null;
}

/** Where a client gets a token for us (RFC 9728), as MCP asks for it. */
export interface ProtectedResource {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly bearer_methods_supported: readonly string[];
}

/** The person as `caller_id` of the audit log, in questions and in answers names them. */
export const fleetCallerId = ({ tenant, person }: Pick<FleetPerson, "tenant" | "person">): string => `${tenant}/${person}`;

const PERSON = /^[\x21-\x7e]{1,200}$/;

/** Whether a name can stand for a person: in the audit log, in a terminal, and beside the name of a tenant. */
export const isPersonName = (name: unknown): name is string => typeof name === "string" && PERSON.test(name);

export function assertPerson(name: string): void {
  if (!isPersonName(name)) throw new RangeError("A person is named with up to 200 letters, digits and signs of ASCII, without spaces.");
}
