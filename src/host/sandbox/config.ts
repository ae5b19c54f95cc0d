import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";
import { isOpenable } from "../egress/judge.ts";
import { isDomainPattern } from "../web/domains.ts";

const paths = () => z.array(z.string().min(1)).default([]);

/**
 * The three lists of paths say nothing about "tighter", so a project nobody vouched for cannot set them. `within` would be wrong
 * here: an empty list means something else than the working directory, and a list inside it could still be wider than what is in force.
 */
export const sandboxConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(true), "Run commands inside the operating system's sandbox. See docs/sandbox.md.", "on"),
      allow_read: setting(
        paths(),
        "More paths or globs a command may read. The system's programs and `tools.shell.allowed_paths` are always readable; home is not.",
      ),
      allow_write: setting(
        paths(),
        "Paths or globs a command may write. Empty means `tools.shell.allowed_paths`. `/`, home and every folder that holds Zeph's own files are refused.",
      ),
      allow_domains: setting(
        z.array(z.string().refine(isOpenable, "is no public name; write `example.com`, `*.example.com` or `@registries`")).default([]),
        "Names that commands reach without a question, on ports 443 and 80: `example.com` is that name alone, `*.example.com` its subdomains, `@registries` those your package managers load from. Each is a way out. See docs/network.md.",
      ),
      deny_domains: setting(
        z
          .array(z.string().refine(isDomainPattern, "is not a domain; write `example.com`, or `*.example.com` for its subdomains"))
          .default([]),
        "Names that commands never reach, written like `allow_domains`. They always win, and nobody is asked about them.",
        "adds",
      ),
      allow_network: setting(z.boolean().default(false), "Let commands use the machine's network, with its localhost services.", "off"),
      fallback: setting(
        z.enum(["ask", "deny", "noop"]).default("ask"),
        "When no sandbox works here: `ask` before each command, `deny` them all, or `noop`, run them without walls and say so.",
        ["noop", "ask", "deny"],
      ),
      escalation: setting(
        z.enum(["never", "ask"]).default("never"),
        "After a command has failed at a wall: `never` runs it without walls, or `ask` when the very same command is called again. That question is one of its own: no `always`, no rule and no `--yes` answers it.",
        ["ask", "never"],
      ),
      outer_repository: setting(
        z.enum(["ask", "whole", "here"]).default("ask"),
        "When the workspace is a folder of a larger repository: whether commands may change the rest of it. `ask` once a session, when a command would have to; `whole` always; `here` never. `--yes` does not answer it. See docs/sandbox.md.",
        ["whole", "ask", "here"],
      ),
      toolchains: setting(
        paths(),
        "Folders of programs outside `/usr`, read-only and first in PATH, for example `~/.cargo/bin`. Keep them narrow: `~/.cargo` also holds credentials.",
      ),
      path: setting(
        z.enum(["auto", "system"]).default("auto"),
        "`auto`: the folders of your PATH are opened to commands, read-only and narrowly, as far as they hold nothing private. `system`: commands have the system's programs and `toolchains`.",
        ["auto", "system"],
      ),
    })
    .prefault({}),
);
export type SandboxConfig = z.output<ReturnType<typeof sandboxConfig>>;

export const scopeConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(false), "Apply the settings of this table.", "on"),
      run_as_user: setting(
        z.string().default(""),
        "Run commands, MCP servers that are programs, and the file tools as this user. Needs root with CAP_SETUID and CAP_SETGID: Zeph does not use sudo, and without them another user's name is an error of the configuration (exit code 2). Empty, or your own name, means the user who started Zeph.",
      ),
      require_capability: setting(
        z.boolean().default(false),
        "Only a trusted caller may use tools that write, run or fetch, with nothing less trusted behind the call: no unvouched skill, no such server.",
        "on",
      ),
      audit_all_invocations: setting(
        z.boolean().default(true),
        "Note every call before it is carried out, those that only read too. Others are noted before in any case, and every call afterwards, with user and scope: the audit itself cannot be switched off.",
        "on",
      ),
    })
    .prefault({}),
);
export type ScopeConfig = z.output<ReturnType<typeof scopeConfig>>;
