import { showsContents } from "./verbatim.ts";

/**
 * Why a command is run. `contents`: to read a text that somebody wrote. `list`: to be told what there is, so every row is an answer.
 * `act`: to have something done, and the rows only tell how it went.
 */
export type Purpose = "contents" | "list" | "act";

/** What a command that is not in the table prints is taken for an answer. */
export function purposeOf(words: readonly string[]): Purpose {
  if (showsContents(words)) return "contents";
  const [program = "", ...args] = words;
  const acts = Object.hasOwn(ACTS, program) ? ACTS[program]! : null;
  return acts?.test(args.join(" ")) && !TELLS_ONLY.test(` ${args.join(" ")} `) ? "act" : "list";
}

/** Whether a command may tell how something goes, and is not only asked what there is. */
export const mayNarrate = (words: readonly string[]): boolean =>
  purposeOf(words) !== "contents" && !TELLS_ONLY.test(` ${words.slice(1).join(" ")} `);

/** Of several commands: whoever wants to read a text wants it whole, and an answer outweighs what was done. */
export function commonPurpose(purposes: readonly Purpose[]): Purpose {
  if (purposes.includes("contents")) return "contents";
  return purposes.length > 0 && purposes.every((purpose) => purpose === "act") ? "act" : "list";
}

/** What a command would do, or what there is to be done. */
const TELLS_ONLY = / (?:--dry-run|-n|--list|-l|--help|-h|--version|list|ls|show|status|outdated|view|info|search|why|audit) /;

const ANY = /^/;
const INSTALLS = /^(?:i|in|ci|install|add|update|upgrade|up|remove|rm|uninstall|un|dedupe|prune|rebuild|publish|pack|link|create|init)\b/;
const BUILDS =
  /^(?:build|b|check|c|clean|install|publish|package|restore|run|test|t|compile|assemble|deploy|fetch|update|get|mod|doc|bench|clippy|vet)\b/;

/** Programs that act, and with which words. */
const ACTS: Readonly<Record<string, RegExp>> = {
  make: ANY,
  ninja: ANY,
  cmake: ANY,
  meson: /^(?:setup|compile|install|configure)\b/,
  bazel: /^(?:build|run|test|fetch|clean)\b/,
  scons: ANY,
  ant: ANY,
  mvn: ANY,
  gradle: ANY,
  sbt: ANY,
  msbuild: ANY,
  xcodebuild: ANY,
  configure: ANY,
  autoreconf: ANY,
  tup: ANY,
  "sphinx-build": ANY,
  mkdocs: /^(?:build|gh-deploy)\b/,
  latexmk: ANY,
  pdflatex: ANY,
  turbo: ANY,
  nx: /^(?:run|run-many|affected|build|test|lint)\b/,
  lerna: /^(?:run|bootstrap|publish|version)\b/,
  "semantic-release": ANY,
  "pre-commit": /^(?:run|install|autoupdate)\b/,
  tox: ANY,
  nox: ANY,
  cargo: BUILDS,
  go: BUILDS,
  dotnet: BUILDS,
  swift: BUILDS,
  stack: BUILDS,
  mix: /^(?:deps\.get|compile|test|ecto\.\w+|release)\b/,
  webpack: ANY,
  vite: /^build\b/,
  rollup: ANY,
  esbuild: ANY,
  parcel: /^build\b/,
  next: /^build\b/,
  npm: INSTALLS,
  pnpm: INSTALLS,
  yarn: /^(?:$|(?:install|add|upgrade|remove|publish|pack)\b)/,
  bun: /^(?:i|install|add|update|remove|build)\b/,
  pip: /^(?:install|download|uninstall|wheel)\b/,
  pipx: INSTALLS,
  poetry: /^(?:install|add|update|remove|lock|build|publish)\b/,
  uv: /^(?:sync|add|remove|lock|build|publish|pip (?:install|sync|uninstall))\b/,
  conda: /^(?:install|create|update|remove|env create)\b/,
  gem: /^(?:install|update|uninstall|build|push)\b/,
  bundle: /^(?:$|(?:install|update|add)\b)/,
  composer: /^(?:install|update|require|remove|dump-autoload)\b/,
  apt: /\b(?:install|upgrade|full-upgrade|dist-upgrade|update|remove|purge|autoremove|build-dep)\b/,
  "apt-get": /\b(?:install|upgrade|dist-upgrade|update|remove|purge|autoremove|build-dep)\b/,
  dpkg: /^(?:-i|--install|-r|--remove|-P|--purge|--configure|--unpack)\b/,
  dnf: /\b(?:install|upgrade|update|remove|makecache)\b/,
  yum: /\b(?:install|upgrade|update|remove|makecache)\b/,
  apk: /\b(?:add|del|update|upgrade)\b/,
  pacman: /^-(?:S|R|U)/,
  brew: /^(?:install|upgrade|update|reinstall|uninstall|tap|cleanup)\b/,
  docker: /^(?:build|buildx build|push|pull|load|import|compose (?:up|build|pull|push|down)|system prune)\b/,
  kubectl: /^(?:apply|create|delete|rollout|patch|scale|drain|cordon)\b/,
  helm: /^(?:install|upgrade|uninstall|rollback)\b/,
  terraform: /^(?:init|apply|destroy)\b/,
  "ansible-playbook": ANY,
  pulumi: /^(?:up|destroy|refresh)\b/,
  git: /^(?:push|pull|fetch|clone|merge|rebase|commit|checkout|switch|submodule|gc|lfs|am|cherry-pick|add|rm|mv|clean)\b/,
  cp: ANY,
  mv: ANY,
  rm: ANY,
  ln: ANY,
  install: ANY,
  mkdir: ANY,
  chmod: ANY,
  chown: ANY,
  rsync: ANY,
  scp: ANY,
  sftp: ANY,
  curl: ANY,
  ping: ANY,
  ffmpeg: ANY,
  wget: ANY,
  tar: /^-{0,2}(?:[a-zA-Z]*[xcru][a-zA-Z]*|extract|create|get)\b/,
  unzip: ANY,
  zip: ANY,
  "7z": /^[xae]\b/,
  cpio: ANY,
  aws: /^s3 (?:cp|sync|mv|rm)\b/,
  gsutil: /\b(?:cp|rsync|mv|rm)\b/,
  rclone: /^(?:copy|sync|move)\b/,
  alembic: /^(?:upgrade|downgrade)\b/,
  flyway: /^migrate\b/,
  knex: /^(?:migrate|seed)\b/,
  rustup: /^(?:install|update|default|target|component|toolchain)\b/,
  rails: /^db:/,
  rake: ANY,
  prisma: /^(?:migrate|generate|db)\b/,
};
