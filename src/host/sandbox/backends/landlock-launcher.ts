/**
 * Node cannot restrict itself and then become another program; perl, which every Debian has, can. Arguments: the numbers of the
 * system calls, flags, `RO:` and `RW:` with the identity and the path, `AT:` with the identity of
 * the folder it starts in, `--`, the command. FILES limits files and drops capabilities; SOCKETS and SIGNALS keep
 * to this sandbox; FILTER reads a seccomp program from descriptor 3. Any step that fails ends it: the command never starts without. The
 * variables of the command come under names of their own and get theirs back at the end: what a turn exports must not reach perl itself, which
 * stands before the walls.
 */
export const LAUNCHER = String.raw`
use strict; use Fcntl;
my ($create, $add, $restrict, $openat, $openat2, $close, $prctl, $capset) = map { $_ + 0 } split /,/, shift @ARGV;
my (%on, @ro, @rw, $start);
while (@ARGV) {
  my $word = shift @ARGV;
  last if $word eq "--";
  if ($word =~ /^RO:(\d+:\d+)?:(.*)/s) { push @ro, [$1, $2] } elsif ($word =~ /^RW:(\d+:\d+)?:(.*)/s) { push @rw, [$1, $2] } elsif ($word =~ /^AT:(.*)/) { $start = $1 } else { $on{$word} = 1 }
}
my $status;
if ($on{FILTER}) { open($status, ">&=", 5) or die "status: $!\n"; fcntl($status, F_SETFD, FD_CLOEXEC) }
sub stop { syswrite($status, "failed") if $status; die "zeph-landlock: $_[0]\n" }
sub changed { syswrite($status, '"changed"') if $status; die "$_[0]: it is no longer what it was when the command was judged.\n" }

my $abi = syscall($create, 0, 0, 1);
stop("this kernel has no Landlock") if $abi < 1;
my $files = 0;
if ($on{FILES}) {
  $files = (1 << 13) - 1;
  $files |= 1 << 13 if $abi >= 2;
  $files |= 1 << 14 if $abi >= 3;
  $files |= 1 << 15 if $abi >= 5;
}
my $scoped = $abi >= 6 ? ($on{SOCKETS} ? 1 : 0) | ($on{SIGNALS} ? 2 : 0) : 0;
my $rules = syscall($create, pack("QQQ", $files, 0, $scoped), $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8, 0);
stop("no ruleset: $!") if $rules < 0;
my ($read, $plain) = (1 | 4 | 8, 1 | 2 | 4 | 1 << 14 | 1 << 15);
sub rule {
  my ($mark, $path, $access) = (@{$_[0]}, $_[1]);
  # What was judged is found without following a link, and compared. The rest belongs to the system.
  my $fd = defined $mark
    ? syscall($openat2, -100, $path, my $how = pack("QQQ", 010000000 | 02000000 | 0400000, 0, 4 | 2), 24)
    : syscall($openat, -100, $path, 010000000 | 02000000);
  # A container's filter may not know openat2. Then the last name alone is no link, and the comparison has to do.
  $fd = syscall($openat, -100, $path, 010000000 | 02000000 | 0400000) if $fd < 0 && defined $mark && ($! == 38 || $! == 1);
  changed($path) if $fd < 0 && defined $mark;
  return if $fd < 0;
  open(my $held, "<&=", $fd) or stop("$path: $!");
  my @found = stat $held;
  changed($path) if defined $mark && "$found[0]:$found[1]" ne $mark;
  $access &= $plain unless -d _;
  syscall($add, $rules, 1, pack("QL", $access & $files, $fd), 0) == 0 or stop("no rule for $path: $!");
}
changed("The folder it starts in") if defined $start && join(":", (stat ".")[0, 1]) ne $start;
if ($files) { rule($_, $read) for @ro; rule($_, $files) for @rw }

syscall($prctl, 38, 1, 0, 0, 0) == 0 or stop("no_new_privs: $!");
syscall($restrict, $rules, 0) == 0 or stop("not restricted: $!");
syscall($close, $rules);
if ($on{FILES}) {
  my ($who, $none) = (pack("LL", 0x20080522, 0), pack("L6", (0) x 6));
  syscall($capset, $who, $none) == 0 or stop("capabilities: $!");
}
if ($on{FILTER}) {
  open(my $in, "<&=", 3) or stop("filter: $!");
  binmode $in;
  my $program = do { local $/; <$in> };
  close $in;
  stop("empty filter") unless length $program;
  my $pointer = pack("S x6 P", length($program) / 8, $program);
  syscall($prctl, 22, 2, $pointer, 0, 0) == 0 or stop("seccomp: $!");
  syswrite($status, '"ready" starting ') or stop("status: $!");
}
%ENV = map { substr($_, 5) => $ENV{$_} } grep { /^ZEPH_/ } keys %ENV;
exec { $ARGV[0] } @ARGV or stop("$ARGV[0]: $!");
`;
