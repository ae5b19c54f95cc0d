/** How a program that runs others side by side marks whose line it is. */
export interface PrefixForm {
  /** Names `label`, the stream, and `rest`, what it printed; perhaps `sign` and `stamp`, which stay with the line. */
  readonly see: RegExp;
  /** What the command or the beginning of the output must say, where such lines may be anything else. */
  readonly only?: RegExp;
}

const NAME = String.raw`(?:@[\w.-]{1,60}\/)?[A-Za-z][\w.-]{0,60}`;
const LEVEL = String.raw`(?![\[ ]*(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE|SEVERE|info|warn|warning|error|debug|note|remote|hint)\b)`;

export const PREFIX_FORMS: readonly PrefixForm[] = [
  // docker compose `web-1  | text`, foreman `12:00:01 web.1  | text`
  { see: new RegExp(String.raw`^${LEVEL}(?<stamp>\d\d:\d\d:\d\d )?(?<label>[A-Za-z][\w.-]{0,60}) {0,40}\|(?: (?<rest>.*)|$)`) },
  // pnpm -r `packages/a test: text`, `packages/a test$ command`
  { see: new RegExp(String.raw`^${LEVEL}(?<label>(?:\.|@?[\w.-]{0,60}\/[\w.\/-]{1,120}) [\w:.-]{1,40})(?:: ?|(?<sign>\$ ))(?<rest>.*)$`) },
  // turbo `web:build: text`
  { see: new RegExp(String.raw`^${LEVEL}(?<label>${NAME}:[A-Za-z][\w:.-]{0,60}):(?: (?<rest>.*)|$)`) },
  // concurrently `[0] text`
  { see: /^\[(?<label>\d{1,2})\](?: (?<rest>.*)|$)/ },
  // concurrently with names, npm-run-all, yarn workspaces `[web] text`, `[@a/web]: text`
  {
    see: new RegExp(String.raw`^${LEVEL}\[(?<label>${NAME}) *\]:?(?: (?<rest>.*)|$)`),
    only: /\b(?:concurrently|conc|npm-run-all2?|run-p|yarn workspaces|wsrun)\b/,
  },
  // lerna, nx, moon `web: text`
  { see: new RegExp(`^${LEVEL} {0,4}(?<label>${NAME}):(?: (?<rest>.*)|$)`), only: /\b(?:lerna|nx|moon|wsrun|ultra)\b/ },
  // GNU parallel --tag
  { see: /^(?<label>[^\t]{1,120})\t(?<rest>.*)$/, only: /\bparallel\b.*--tag(?:string)?\b/ },
];
