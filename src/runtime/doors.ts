import { Door } from "../core/door.ts";
import type { Rules } from "../core/gate/gate.ts";

/**
 * The door of a runtime before there are rules: it lets nothing in. The host is built with it, because redirects and inner commands are
 * judged there; the gates need the host; `Door.open` then gives it their rules.
 */
export const createShutDoor = (): Door => new Door(() => SHUT, []);

const SHUT = { rule: "not open yet", why: "The rules are not read yet, so nothing is let in." };

/** A door beside the runtime's own, for judging past calls. Its permits open nothing. */
export const createTrialDoor = ({ blocklist, gates }: Rules): Pick<Door, "review"> => new Door(blocklist, gates);
