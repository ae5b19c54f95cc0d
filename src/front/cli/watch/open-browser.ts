import { startProgram } from "../../../files/programs.ts";

/** What opens an address in the person's browser; null where there is none to be seen. */
export function browserCommand(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly [string, ...string[]] | null {
  if (platform === "darwin") return ["open"];
  // No shell reads the address.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : null;
}

/** Whether it was tried. That it cannot be opened is no failure: the link is printed. */
export function openBrowser(link: string): boolean {
  const command = browserCommand(process.platform, process.env);
  if (!command) return false;
  const [program, ...words] = command;
  try {
    startProgram(program, [...words, link], { stdio: "ignore", detached: true, env: process.env })
      .on("error", () => {})
      .unref();
    return true;
  } catch {
    return false;
  }
}
