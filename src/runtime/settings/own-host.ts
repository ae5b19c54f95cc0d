import type { OwnHost } from "../../core/ports/own-host.ts";
import { isRecord } from "../../text/json.ts";
import type { OpenOptions } from "../runtime.ts";
import type { Opened } from "./stores.ts";

/** The settings beside a program's own machine: whatever would read or run something of this machine in its place is off, or refused with a TypeError. */
export function settingsBeside(options: OpenOptions, settings: Opened): Opened {
  const { config } = settings;
  assertOwnHost(options.host);
  const refused = Object.entries({
    "config as an object: the files of a project lie on that machine": typeof options.config !== "object",
    "cwd, the workspace on that machine": !options.cwd?.startsWith("/"),
    "no editor: its buffers are those of this machine": options.editor !== undefined,
    "no hooks: they would run on this machine": Object.values(config.hooks).some((hooks) => hooks.length > 0),
    "no tools.scope.run_as_user: commands run as the machine runs them":
      config.tools.scope.enabled && config.tools.scope.run_as_user !== "",
    "no tools.shell.transactional: nothing can be put back there": config.tools.shell.transactional,
  }).find(([, isSo]) => isSo);
  if (refused) throw new TypeError(`A host of your own wants ${refused[0]}.`);
  // Instructions and skills of a project would be read from this machine.
  return {
    ...settings,
    config: { ...config, agent: { ...config.agent, instructions: false }, skills: { ...config.skills, enabled: false } },
  };
}

/** Every function of its files, as values: a compiler says when one is missing here. */
const FILES: { readonly [name in keyof OwnHost["files"]]: true } = {
  realPath: true,
  stat: true,
  read: true,
  write: true,
  list: true,
  makeFolder: true,
  remove: true,
};

function assertOwnHost(host: unknown): asserts host is OwnHost {
  if (!isRecord(host) || typeof host.name !== "string" || typeof host.home !== "string" || typeof host.run !== "function")
    throw new TypeError("host is an object with name, home, walls, files and run.");
  const { files } = host;
  const missing = Object.keys(FILES).find((name) => !isRecord(files) || typeof files[name] !== "function");
  if (missing !== undefined) throw new TypeError(`The host has no function files.${missing}.`);
  const { walls } = host;
  const isKnown = isRecord(walls) && typeof walls.name === "string" && ["open", "closed"].includes(String(walls.network));
  if (walls !== null && !(isKnown && typeof walls.contained === "boolean"))
    throw new TypeError('The host\'s walls are null, or { name, network: "open" or "closed", contained: true or false }.');
}
