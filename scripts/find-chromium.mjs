// The browser that the page of `zeph watch` is tried in. Nothing is downloaded: it is the system's, or the one that CHROMIUM names.
import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/** Its path; null where there is none. */
export function findChromium() {
  return [process.env.CHROMIUM, ...PLACES].find((path) => path && existsSync(path)) ?? null;
}
