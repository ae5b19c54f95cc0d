/** Names that are answered inside a network and nowhere else. The last ones were never delegated and are in use inside companies and homes. */
const PRIVATE_ZONES = ["localhost", "local", "internal", "home.arpa", "localdomain", "intranet", "private", "lan", "home", "corp", "svc"];

/** Public names of a cloud's metadata service. */
const METADATA = ["metadata.goog", "metadata.tencentyun.com", "metadata.packet.net", "metadata.platformequinix.com"];

/** A name that is private whatever DNS says. A name of one label is completed by the machine's own search list. */
export const isPrivateName = (name: string): boolean =>
  !name.includes(".") || METADATA.includes(name) || PRIVATE_ZONES.some((zone) => name === zone || name.endsWith(`.${zone}`));

/** As long as DNS allows, of letters DNS knows; international names are punycode by now. */
export const isName = (name: string): boolean => name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
