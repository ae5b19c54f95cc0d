// zeph/shell: what a command means.

export type { CommandTouch, PathTouch, Touch, UnknownTouch, UrlTouch } from "../core/touch.ts";
export { understand } from "../shell/understand.ts";
export type {
  CommandPlace,
  Construct,
  ConstructKind,
  Redirection,
  SimpleCommand,
  Understanding,
  Unknown,
  Variable,
} from "../shell/understanding.ts";
