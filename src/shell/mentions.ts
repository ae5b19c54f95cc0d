import { wordSet } from "../text/words.ts";
/**
 * The second net below the tables of launchers: no list of programs that start programs is complete. A program nobody has described that
 * is handed a name from the blocklist, where a command could begin, may start it; that is asked about.
 */
export function mentionsForbidden(text: string): boolean {
  if (!NAMES.test(text)) return false;
  return (text.startsWith("-") ? IN_OPTIONS : IN_WORDS).test(text);
}

const NAMES = /sudo|doas|pkexec|run0|runuser/i;
const NAME = String.raw`(?:[^\s=,:;!|&(){}"'\x60%<>@]*/)?(?:sudo|sudoedit|sudo-rs|doas|pkexec|run0|runuser)(?=$|[\s,;|&(){}"'\x60])`;
/** In running text a blank does not begin a command: "never use sudo" is a sentence. */
const IN_WORDS = new RegExp(String.raw`(?:^|[=,:;!|&({"'\x60%\n])\s*${NAME}`, "i");
/** Among options it does: `-I sudo`. A short option may be glued to its value. */
const IN_OPTIONS = new RegExp(String.raw`(?:^-\w|[=,:;!|&({"'\x60%\n]\s*|\s)${NAME}`, "i");

/** Programs whose words are text, names of files or packages, or are read as code elsewhere: naming a program to them starts nothing. */
const TEXT_PROGRAMS =
  wordSet(`echo printf cat tac nl head tail less more bat wc grep egrep fgrep zgrep rg ag ack ls which type whereis whatis apropos man info tldr help
  test [ true false : cd pushd popd dirs mkdir rmdir touch rm cp mv ln chmod chown chgrp stat file readlink realpath basename dirname
  find gfind fd fdfind locate tree du df sed gsed awk gawk mawk nawk sort uniq cut tr diff cmp comm paste join column fold fmt rev xxd od
  hexdump strings base64 md5sum sha1sum sha256sum jq yq xq tee git gh glab hub svn hg docker docker-compose podman kubectl helm
  apt-cache dpkg-query brew rpm-query pkg-config id getent groups users who w ps pgrep pkill killall pidof
  kill top htop service systemctl journalctl loginctl vim vi nvim nano code emacs subl logger wall notify-send say cowsay figlet mail
  read unset set shift export declare typeset local readonly alias unalias trap eval source . return exit let command builtin hash
  sh bash dash zsh ksh mksh ash rbash fish ssh watch su sg
  python pypy py node nodejs deno bun perl ruby jruby php lua luajit cargo pytest jest vitest mocha rspec make gmake
  sudo doas su pkexec run0 runuser sudoedit sudo-rs`);

export const takesText = (program: string): boolean => TEXT_PROGRAMS.has(program);
