import { randomInt } from "node:crypto";
import { type HttpServer, type HttpServerParts, listenHttp } from "../../http/server.ts";

/**
 * Cookies know no ports: whatever listens at 127.0.0.1 would be sent ours. Where the system answers for all of 127.0.0.0/8 an address is taken
 * that nobody else uses. macOS answers for 127.0.0.1 alone.
 */
export const chooseLoopback = (platform: NodeJS.Platform): string =>
  platform === "linux" || platform === "win32" ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : "127.0.0.1";

/** A machine that answers for 127.0.0.1 alone, whatever its system, gets that. */
export async function listenLocally(
  { platform = process.platform, port }: { readonly platform?: NodeJS.Platform; readonly port: number },
  parts: Pick<HttpServerParts, "mostConnections" | "answer" | "failed">,
): Promise<HttpServer> {
  try {
    return await listenHttp({ ...parts, host: chooseLoopback(platform), port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRNOTAVAIL") throw error;
    return listenHttp({ ...parts, host: "127.0.0.1", port });
  }
}
