# The second hand: changes names in a folder while somebody else looks at them and acts. Perl, because Node cannot exchange two names in one step.
#   partner.pl swap FOLDER SEED GAP_US SECONDS ACT [/ ACT]...   random acts with random pauses, until the file FOLDER/stop is there or the time is up
#   partner.pl hold FOLDER PID SECONDS (WHEN ACT)...            stops the process below PID that builds walls when it has mounted WHEN, acts, and lets it go on
# An act: exchange A B, link A TARGET, back A, replace A B, write A TEXT, chmod MODE A, kill, none. Its words are separated by commas.
use strict;
use warnings;
use POSIX ();

my %EXCHANGE = (x86_64 => 316, aarch64 => 276);
my $machine = (POSIX::uname())[4];
my $exchange = $EXCHANGE{$machine} // die "no number of renameat2 is known for $machine\n";
my $AT_FDCWD = -100;
my $RENAME_EXCHANGE = 2;
$| = 1;

my ($mode, $folder, @rest) = @ARGV;
chdir $folder or die "$folder: $!\n";
$mode eq "swap" ? swap(@rest) : hold(@rest);

sub act {
  my ($act, $held) = @_;
  my ($what, $one, $two) = split /,/, $act, 3;
  if ($what eq "exchange") { return 0 == syscall($exchange, $AT_FDCWD, "$one", $AT_FDCWD, "$two", $RENAME_EXCHANGE) }
  if ($what eq "link") { return rename($one, "$one.away") && symlink($two, $one) }
  if ($what eq "back") { return unlink($one) && rename("$one.away", $one) }
  if ($what eq "replace") { return rename($one, "$one.away") && rename($two, $one) }
  if ($what eq "write") { open(my $file, ">", $one) or return 0; print $file $two; return close $file }
  if ($what eq "chmod") { return chmod(oct $one, $two) }
  if ($what eq "kill") { return $held && kill("KILL", $held) }
  return 1;
}

sub usleep { select undef, undef, undef, $_[0] / 1e6 }

sub swap {
  my ($seed, $gap, $seconds, @words) = @_;
  srand $seed;
  my @acts = split m{ / }, join " ", @words;
  my $end = time + $seconds;
  my ($done, $failed) = (0, 0);
  print "ready\n";
  while (time < $end && !-e "stop") {
    act($acts[int rand @acts]) ? $done++ : $failed++;
    usleep(int rand(2 * $gap + 1));
  }
  print "done $done failed $failed\n";
}

sub hold {
  my ($root, $seconds, @steps) = @_;
  my $end = time + $seconds;
  # A process has a number a moment before it can be looked at.
  my ($last, %new, %unseen) = (newest());
  print "ready\n";
  my ($when, $do) = splice @steps, 0, 2;
  while (time < $end && defined $when) {
    my $now = newest();
    if ($now < $last) { $last = 0 }
    for my $pid ($last + 1 .. $now) { $unseen{$pid} = time }
    $last = $now;
    for my $pid (keys %unseen) {
      if (!-e "/proc/$pid/stat") { delete $unseen{$pid} if time > $unseen{$pid} + 1; next }
      delete $unseen{$pid};
      next if !isBelow($pid, $root);
      $new{$pid} = 1;
      # On a busy machine we come first.
      setpriority 0, $pid, 19;
    }
    for my $pid (keys %new) {
      # It runs in short slices, so that it is never far when it has come there.
      if (!stopped($pid)) { delete $new{$pid}; next }
      # The command itself has the same mounts; who comes that late holds nobody that builds.
      if (!isBuilder($pid)) { delete $new{$pid}; kill "CONT", $pid; next }
      my $mounts = mountsOf($pid) // "";
      if ($mounts =~ /\Q$when\E\n/) {
        print act($do, $pid) ? "held" : "failed: $!", " $do at ", scalar(split /\n/, $mounts), " mounts\n";
        ($when, $do) = splice @steps, 0, 2;
      }
      kill "CONT", $pid;
      last if !defined $when;
    }
    usleep(100);
  }
  print defined $when ? "missed $when\n" : "over\n";
}

sub stopped {
  my ($pid) = @_;
  kill "STOP", $pid or return 0;
  for (1 .. 2000) {
    my $state = state($pid);
    return 0 if $state =~ /[ZX]/;
    return 1 if $state =~ /[Tt]/;
    usleep(20);
  }
  return 1;
}

# The first process of its PID namespace, before it is anything else and before it has started anything: zeph-run keeps its name beside the command.
sub isBuilder {
  my ($pid) = @_;
  return 0 if (slurp("/proc/$pid/task/$pid/children") // "") ne "";
  return (slurp("/proc/$pid/status") // "") =~ /^Name:\t(?:bwrap|zeph-run).*^NSpid:\t[\d\t]*\b1$/ms;
}

sub newest { return (split " ", slurp("/proc/loadavg") // "")[-1] }

sub isBelow {
  my ($pid, $root) = @_;
  for (1 .. 12) {
    return 1 if $pid == $root;
    my $stat = slurp("/proc/$pid/stat") // return 0;
    ($pid) = $stat =~ /\) \S (\d+)/ or return 0;
    return 0 if $pid <= 1;
  }
  return 0;
}

# The places something is mounted at, one in a line; undefined when the process is gone.
sub mountsOf {
  my $text = slurp("/proc/$_[0]/mountinfo") // return undef;
  return join "", map { (split / /)[4] . "\n" } split /\n/, $text;
}

sub state { my ($state) = (slurp("/proc/$_[0]/stat") // ") X") =~ /\) (\S)/; return $state }

sub slurp {
  open(my $file, "<", $_[0]) or return undef;
  local $/;
  return scalar <$file>;
}
