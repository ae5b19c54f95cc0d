import { underNames } from "../shell/programs/under-names.ts";
import { wordSet } from "../text/words.ts";
import { showsContents } from "./verbatim.ts";

/**
 * Why a command is run. `contents`: to read a text that was written by a person. `list`: to be told what there is, so every row is an answer.
 * `act`: to have something done, and the rows only tell how it went.
 */
export type Purpose = "contents" | "list" | "act";

/** What a command that is not in the table prints is taken for an answer. */
export function purposeOf(words: readonly string[]): Purpose {
  if (showsContents(words)) return "contents";
  const [program = "", ...args] = words;
  const acts = ALWAYS_ACT.has(program) || (Object.hasOwn(ACTS, program) && ACTS[program]!.test(args.join(" ")));
  return acts && !TELLS_ONLY.test(` ${args.join(" ")} `) ? "act" : "list";
}

/** Whether a command may tell how something goes, and is not only asked what there is. */
export const mayNarrate = (words: readonly string[]): boolean =>
  purposeOf(words) !== "contents" && !TELLS_ONLY.test(` ${words.slice(1).join(" ")} `);

/** The purpose of several commands: a text that is read stays whole, and an answer outweighs what was done. */
export function commonPurpose(purposes: readonly Purpose[]): Purpose {
  if (purposes.includes("contents")) return "contents";
  return purposes.length > 0 && purposes.every((purpose) => purpose === "act") ? "act" : "list";
}

/** What a command would do, or what there is to be done. */
const TELLS_ONLY = / (?:--dry-run|-n|--list|-l|--help|-h|--version|list|ls|show|status|outdated|view|info|search|why|audit) /;

const INSTALLS = /^(?:i|in|ci|install|add|update|upgrade|up|remove|rm|uninstall|un|dedupe|prune|rebuild|publish|pack|link|create|init)\b/;
const BUILDS =
  /^(?:build|b|check|c|clean|install|publish|package|restore|run|test|t|compile|assemble|deploy|fetch|update|get|mod|doc|bench|clippy|vet)\b/;

/** Programs that act, whatever they are told. */
const ALWAYS_ACT = wordSet(
  `make ninja cmake scons ant mvn gradle sbt msbuild xcodebuild configure autoreconf tup sphinx-build latexmk pdflatex turbo
  semantic-release tox nox webpack rollup esbuild ansible-playbook cp mv rm ln install mkdir chmod chown rsync scp sftp curl ping
  ffmpeg wget unzip zip cpio rake`,
);

/** Programs that act, and with which words. */
const ACTS: Readonly<Record<string, RegExp>> = {
  meson: /^(?:setup|compile|install|configure)\b/,
  bazel: /^(?:build|run|test|fetch|clean)\b/,
  mkdocs: /^(?:build|gh-deploy)\b/,
  nx: /^(?:run|run-many|affected|build|test|lint)\b/,
  lerna: /^(?:run|bootstrap|publish|version)\b/,
  "pre-commit": /^(?:run|install|autoupdate)\b/,
  ...underNames("cargo go dotnet swift stack", BUILDS),
  mix: /^(?:deps\.get|compile|test|ecto\.\w+|release)\b/,
  vite: /^build\b/,
  parcel: /^build\b/,
  next: /^build\b/,
  ...underNames("npm pnpm pipx", INSTALLS),
  yarn: /^(?:$|(?:install|add|upgrade|remove|publish|pack)\b)/,
  bun: /^(?:i|install|add|update|remove|build)\b/,
  pip: /^(?:install|download|uninstall|wheel)\b/,
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
  pulumi: /^(?:up|destroy|refresh)\b/,
  git: /^(?:push|pull|fetch|clone|merge|rebase|commit|checkout|switch|submodule|gc|lfs|am|cherry-pick|add|rm|mv|clean)\b/,
  tar: /^-{0,2}(?:[a-zA-Z]*[xcru][a-zA-Z]*|extract|create|get)\b/,
  "7z": /^[xae]\b/,
  aws: /^s3 (?:cp|sync|mv|rm)\b/,
  gsutil: /\b(?:cp|rsync|mv|rm)\b/,
  rclone: /^(?:copy|sync|move)\b/,
  alembic: /^(?:upgrade|downgrade)\b/,
  flyway: /^migrate\b/,
  knex: /^(?:migrate|seed)\b/,
  rustup: /^(?:install|update|default|target|component|toolchain)\b/,
  rails: /^db:/,
  prisma: /^(?:migrate|generate|db)\b/,
};
