import { existsSync } from "node:fs";
import { type CommandLine, PERL, perlLine } from "./backends/perl.ts";

/**
 * The process between Zeph and what Zeph starts. It holds one end of a pipe whose other end Zeph holds: when Zeph is gone, however that happened, the
 * pipe ends, and everything below dies. It adopts what loses its parent, so nothing gets away by that. What a backend is fed comes
 * through the same pipe with its length said before: if Zeph dies in the middle, nothing is started on half a set of walls.
 *
 * bwrap's own `--die-with-parent` has two holes: before it has asked the kernel for it, and between its two processes, where the inner one then
 * waits for ever for a word of the outer one. Perl, because a program is needed that can adopt processes, and perl is nearly everywhere; where the
 * program that Zeph brings along can be used (native/zeph-watch.c), that one does the same for commands and is faster.
 */
export const WATCHDOG = String.raw`
use strict;
my ($prctl, $dup3, $close) = map { $_ + 0 } split /,/, shift @ARGV;
my ($watch, @feeds, $group, %on, %relay);
while (defined(my $word = shift @ARGV)) {
  last if $word eq "--";
  if ($word =~ /^FD:(\d+)$/) { open($watch, "+<&=", $1) or die "watch: $!\n" }
  elsif ($word =~ /^PIPE:(.*)/s) { sysopen($watch, $1, 04000) or die "watch: $!\n" }
  elsif ($word =~ /^FEED:(\d+):(\d+)$/) { push @feeds, [$1 + 0, $2 + 0] }
  elsif ($word =~ /^GROUP:(.*)/s) { $group = $1 }
  elsif ($word =~ /^(PASS|HEAR):(\w+)$/) { $relay{$2} = $1 eq "PASS" }
  else { $on{$word} = 1 }
}
die "no watch\n" unless $watch;
binmode $watch;
fcntl($watch, 2, 1);
syscall($prctl, 36, 1, 0, 0, 0);
$SIG{PIPE} = "IGNORE";

# The low numbers are for the program: nothing of ours may lie where a feed will go.
my @low;
do { open(my $null, "<", "/dev/null") or die "/dev/null: $!\n"; push @low, $null } until fileno($low[-1]) > 15;
for my $feed (@feeds) {
  my ($text, $left) = ("", $feed->[1]);
  while ($left > 0) {
    my $count = sysread($watch, $text, $left, length $text);
    next if !defined $count && $! == 4;
    exit 125 unless $count;
    $left -= $count;
  }
  pipe(my $out, my $in) or die "pipe: $!\n";
  push @$feed, $text, $out, $in;
}
exit 125 if over();

pipe(my $woken, my $wake) or die "pipe: $!\n";
$SIG{CHLD} = sub { syswrite($wake, "x") };
my ($child, $told, $me) = (undef, 0, $$);
my %number = (HUP => 1, INT => 2, TERM => 15);
for my $name (keys %number) { $SIG{$name} = sub { $told = $number{$name} } }
for my $name (keys %relay) { $SIG{$name} = sub { kill $name, $child if $child && $relay{$name} } }
$child = fork;
die "fork: $!\n" unless defined $child;
if ($child == 0) {
  $SIG{$_} = "DEFAULT" for qw(CHLD PIPE INT TERM HUP);
  syscall($prctl, 1, 9, 0, 0, 0);
  exit 125 if getppid() != $me;
  setpgrp(0, 0) if $on{APART};
  if (defined $group) {
    # One thread that moves itself does not have to wait for all others, as a process in version 2 has to.
    my $file = -e "$group/tasks" ? "tasks" : "cgroup.procs";
    my $in;
    unless (open($in, ">", "$group/$file") && syswrite($in, "0")) { print STDERR "$group cannot be entered: $!\n"; exit 125 }
  }
  syscall($dup3, fileno($_->[3]), $_->[0], 0) for @feeds;
  %ENV = map { substr($_, 5) => $ENV{$_} } grep { /^ZEPH_/ } keys %ENV if $on{RENAMED};
  exec { $ARGV[0] } @ARGV;
  print STDERR "$ARGV[0]: $!\n";
  exit 127;
}
for (@feeds) { close $_->[3] }
for my $feed (@feeds) {
  my ($in, $text, $at) = ($feed->[4], $feed->[2], 0);
  while ($at < length $text) { my $count = syswrite($in, $text, length($text) - $at, $at); last unless defined $count; $at += $count }
  close $in;
}
# What the child holds must end with the child, not with us.
open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null");
if (opendir(my $all, "/proc/self/fd")) {
  my %keep = map { fileno($_) => 1 } $watch, $woken, $wake;
  for my $fd (grep { /^\d+$/ && $_ > 2 && !$keep{$_} } readdir $all) { syscall($close, $fd + 0) unless $fd == fileno($all) }
}

my $status;
until (defined $status) {
  my ($ready, $bits) = ("", "");
  vec($bits, fileno($_), 1) = 1 for $watch, $woken;
  select($ready = $bits, undef, undef, undef);
  if ($told || over()) { end_all(); last }
  sysread($woken, my $gone, 64) if vec($ready, fileno($woken), 1);
  while ((my $pid = waitpid(-1, 1)) > 0) { $status = $? if $pid == $child }
}
end_all() if defined $status && !$on{LEAVE};
if (!defined $status && defined $group) { for (1 .. 100) { last if rmdir($group) || !-d $group; select(undef, undef, undef, 0.01) } }
$status = $told || 9 unless defined $status;
exit($status >> 8) unless $status & 127;
syscall($prctl, 4, 0, 0, 0, 0);
$SIG{$_} = "DEFAULT" for qw(INT TERM HUP PIPE);
kill $status & 127, $$;
exit 128 + ($status & 127);

# Whether Zeph is gone. It says nothing more, so whatever can be read is the end.
sub over {
  my $bits = "";
  vec($bits, fileno($watch), 1) = 1;
  # A named pipe that was left before we came has no end that could be waited for.
  return 0 if !$on{NAMED} && select($bits, undef, undef, 0) < 1;
  my $count = sysread($watch, my $text, 4096);
  return defined $count ? $count == 0 : $! != 11 && $! != 4;
}

sub end_all {
  for (1 .. 2500) {
    kill 9, children();
    my $pid;
    do { $pid = waitpid(-1, 1); $status = $? if $pid == $child && defined $status } while $pid > 0;
    return if $pid == -1;
    select(undef, undef, undef, 0.002);
  }
}

sub children {
  if (open(my $list, "<", "/proc/$$/task/$$/children")) { local $/; return split " ", <$list> // "" }
  opendir(my $all, "/proc") or return;
  return grep { /^\d+$/ && parent_of($_) == $$ } readdir $all;
}

sub parent_of {
  open(my $stat, "<", "/proc/$_[0]/stat") or return 0;
  return (<$stat> // "") =~ /.*\) \S (\d+)/s ? $1 : 0;
}
`;

export interface WatchOptions {
  /** Where the watchdog finds its end of the pipe: a descriptor it is given, or the path of a named pipe. */
  readonly at: number | string;
  /** What goes to which descriptor of the program, and how many bytes of it come through the pipe first. */
  readonly feeds?: readonly (readonly [fd: number, bytes: number])[];
  /** A group the program is put into. It is removed when Zeph cannot do it any more. */
  readonly group?: string | undefined;
  /** The variables were renamed so that they mean nothing to perl; the program gets its own back. */
  readonly renamed?: boolean;
  /** The program stays in the process group of whoever starts the line, who may want to signal all of it. */
  readonly joined?: boolean;
  /** A person's own command in front of their terminal: it stays in their process group and may leave something running. */
  readonly foreground?: {
    /** Signals to the watchdog that are meant for the command. */
    readonly pass: readonly string[];
    /** Signals that the command gets from the terminal itself. */
    readonly hear: readonly string[];
  };
}

/** The line that runs another one under the watchdog; null where there is none for this machine. */
export function withWatchdog(
  line: CommandLine,
  { at, feeds = [], group, renamed = false, joined = false, foreground }: WatchOptions,
): CommandLine | null {
  if (!existsSync(PERL)) return null;
  const words = [
    typeof at === "number" ? `FD:${at}` : `PIPE:${at}`,
    ...(typeof at === "number" ? [] : ["NAMED"]),
    ...feeds.map(([fd, bytes]) => `FEED:${fd}:${bytes}`),
    ...(group === undefined ? [] : [`GROUP:${group}`]),
    ...(renamed ? ["RENAMED"] : []),
    ...(foreground
      ? ["LEAVE", ...foreground.pass.map((name) => `PASS:${name}`), ...foreground.hear.map((name) => `HEAR:${name}`)]
      : joined
        ? []
        : ["APART"]),
  ];
  return perlLine(WATCHDOG, ["prctl", "dup3", "close"], words, line);
}

/** The same by the program that Zeph brings along, in a tenth of the time. It does not look at the variables, so they keep their names. */
export const withRunner = (
  runner: string,
  { file, args }: CommandLine,
  { at, feeds = [], group }: Pick<WatchOptions, "feeds" | "group"> & { readonly at: number },
): CommandLine => ({
  file: runner,
  args: [
    "watch",
    `FD:${at}`,
    ...feeds.map(([fd, bytes]) => `FEED:${fd}:${bytes}`),
    ...(group === undefined ? [] : [`GROUP:${group}`]),
    ...["--", file, ...args],
  ],
});

/** As a perl that stands before a program wants its variables: under names that mean nothing to it. */
export const prefixVariables = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[`ZEPH_${name}`, value]])));
