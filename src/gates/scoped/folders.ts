import * as z from "zod";
import { attempt } from "../../text/attempt.ts";
import { makeOnce } from "../../text/make-once.ts";

/** A folder, as `allowed_paths` takes it. A pattern would be the name of a folder that is never there. */
export const folder = makeOnce(() =>
  z
    .string()
    .min(1)
    .superRefine((path, ctx) => {
      if (!PATTERN.test(path)) return;
      const segments = path.split("/");
      const fixed = segments.slice(
        0,
        segments.findIndex((segment) => PATTERN.test(segment)),
      );
      const root = path.startsWith("/") ? "/" : ".";
      ctx.addIssue({
        code: "custom",
        message: `allowed_paths are folders with all that lies in them, not patterns: write ${JSON.stringify(fixed.join("/") || root)}.`,
      });
    }),
);
/** Brackets and single braces are part of names: `app/[id]`. */
const PATTERN = /[*?]|\{[^}]*,/;

/** A host, as `allowed_domains` takes it: `example.com`, or `*.example.com` for all below it. */
export const host = makeOnce(() =>
  z
    .string()
    .min(1)
    .superRefine((written, ctx) => {
      if (hostOf(written) !== null) return;
      const likely = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?([^/:?#]+)/i.exec(written.trim())?.[1];
      const advice = likely !== undefined && hostOf(likely) !== null ? `write "${likely}"` : 'write "example.com", or "*.example.com"';
      ctx.addIssue({ code: "custom", message: `allowed_domains are hosts, without scheme, port or path: ${advice}.` });
    }),
);

/** The host as an address would spell it; of `*.example.com` what comes before it is `*.`. Null for what is no host. */
export function hostOf(written: string): string | null {
  const name = written.trim().toLowerCase().replace(/\.$/, "");
  const [wild, bare] = name.startsWith("*.") ? ["*.", name.slice(2)] : ["", name];
  if (/[\s/?#@*\\]/.test(bare) || (bare.includes(":") && !bare.startsWith("["))) return null;
  return attempt(() => wild + new URL(`http://${bare}/`).hostname, null);
}
