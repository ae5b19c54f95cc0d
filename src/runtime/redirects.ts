import type { ApprovedCall, Door } from "../core/door.ts";
import type { Refusal } from "../core/ports/facts.ts";
import type { CallContext } from "../core/tool.ts";

/** Why a permitted call may not follow a redirect, in the words that the host passes on. */
export const redirectRefusal =
  (door: Pick<Door, "redirect">) =>
  async (permit: ApprovedCall, url: string, { turn }: CallContext): Promise<Refusal | null> => {
    const objection = await door.redirect(permit, url, turn);
    return objection && { rule: `${objection.gate}: ${objection.rule}`, why: objection.told ?? objection.why };
  };
