import { followLinks } from "../../files/follow-links.ts";
import { isWithin } from "../../text/path.ts";
import { isSecretVariable } from "../sandbox/environment.ts";

/** Variables of the person that name a folder of a toolchain, passed where commands see that folder. Those that have to be writable, or hold credentials, are not among them. */
const PLACES = [
  ...["GOROOT", "JAVA_HOME", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR"],
  ...["VIRTUAL_ENV", "CONDA_PREFIX", "DOTNET_ROOT", "ANDROID_HOME", "RUSTUP_HOME"],
];
const CERTIFICATES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"];
export const CERTIFICATE_PLACES = ["/usr", "/etc/ssl/certs", "/etc/pki"];

export interface PlaceVariableSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homes: readonly string[];
  /** What is opened for programs. */
  readonly read: readonly string[];
  readonly writable: readonly string[];
}

/** Each with the place it leads to: a link on the way may not be seen inside. */
export function placeVariables({ env, homes, read, writable }: PlaceVariableSources): Record<string, string> {
  const found: Record<string, string> = {};
  const pass = (name: string, isSeen: (place: string) => boolean) => {
    const value = env[name];
    if (!value?.startsWith("/") || isSecretVariable(name)) return;
    const place = followLinks(value, writable)?.path;
    if (place !== undefined && isSeen(place)) found[name] = place;
  };
  // A folder above what is opened is there too, with nothing else in it.
  for (const name of PLACES)
    pass(name, (place) => ["/usr", ...read, ...writable].some((root) => isWithin(root, place) || isAbove(place, root)));
  for (const name of CERTIFICATES) pass(name, (place) => CERTIFICATE_PLACES.some((root) => isWithin(root, place)));
  const rustup = homes.map((home) => `${home}/.rustup`).find((folder) => read.some((root) => isWithin(folder, root)));
  return rustup === undefined ? found : { RUSTUP_HOME: rustup, ...found };
}

const isAbove = (place: string, root: string): boolean => place.split("/").length > 2 && isWithin(place, root);
