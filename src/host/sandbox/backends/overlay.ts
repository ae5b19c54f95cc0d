import { type CommandLine, perlLine } from "./perl.ts";

/** Folders a command may change as it likes while nothing of it is kept: what it writes goes into a layer above them. */
export interface Overlay {
  readonly layers: readonly OverlayLayer[];
  /** An ordinary user may mount only in a user namespace. */
  readonly namespace: "mounts" | "mounts and users";
}

export interface OverlayLayer {
  readonly path: string;
  /** Device and number of the folder below, which we hold open: if its name leads elsewhere by now, nothing is started. */
  readonly mark: string;
  /** A private folder that holds `upper`, `work` and `merged`. */
  readonly folder: string;
}

/** Debian's bwrap has no option for it, so perl mounts them and starts bwrap in there. Each is at `merged`, for bwrap and nobody else. */
export const OVERLAY = String.raw`
use strict;
my ($unshare, $mount, $getxattr) = map { $_ + 0 } split /,/, shift @ARGV;
my ($users, $status, $out, @layers) = (0);
while (defined(my $word = shift @ARGV)) {
  last if $word eq "--";
  if ($word eq "USERS") { $users = 0x10000000 } elsif ($word eq "STATUS") { $status = shift @ARGV } else { push @layers, [splice @ARGV, 0, 3] }
}
sub stop { print STDERR "zeph-overlay: $_[0]\n"; exit 125 }
# Opened here alone: what perl opens is not open in the program that it starts.
sub changed { syswrite($out, '"changed"') if defined $status && open($out, ">&=", $status); print STDERR "$_[0]: it is no longer what it was when the command was judged.\n"; exit 126 }
sub put { my ($name, $text) = @_; open(my $file, ">", "/proc/self/$name") or stop("$name: $!"); syswrite($file, $text) or stop("$name: $!") }

my ($uid, $gid) = ($<, $( + 0);
syscall($unshare, 0x20000 | $users) == 0 or stop("no namespace: $!");
if ($users) { put("setgroups", "deny"); put("uid_map", "$uid $uid 1"); put("gid_map", "$gid $gid 1") }
my ($none, $root, $type, $target) = ("none", "/", "overlay", "merged");
syscall($mount, $none, $root, 0, 0x84000, 0) == 0 or stop("mounts are not our own: $!");
for my $layer (@layers) {
  my ($mark, $path, $folder) = @$layer;
  # Opened anew, since a folder that was opened outside of this namespace cannot be mounted in it; and it has to be that folder.
  sysopen(my $lower, $path, 010000000) or changed($path);
  changed($path) unless join(":", (stat $lower)[0, 1]) eq $mark;
  chdir($folder) or stop("$folder: $!");
  # With xino a folder, too, has the inode number of what lies below it, by which the walls are compared.
  my $options = "userxattr,xino=on,lowerdir=/proc/self/fd/" . fileno($lower) . ",upperdir=upper,workdir=work";
  syscall($mount, $type, $target, $type, 6, $options) == 0 or stop("no overlay: $!");
  # A folder that stays open would be a way around all mounts.
  close $lower;
}
chdir("/");

my $child = fork;
stop("fork: $!") unless defined $child;
if ($child == 0) { exec { $ARGV[0] } @ARGV; print STDERR "$ARGV[0]: $!\n"; exit 127 }
waitpid($child, 0);
my $status = $?;
list_opaque($_->[2]) for @layers;
exit($status >> 8) unless $status & 127;
kill $status & 127, $$;
exit 128 + ($status & 127);

# Folders that hide what lies below them. Only an attribute says so, and we alone may read it everywhere.
sub list_opaque {
  my ($folder) = @_;
  open(my $out, ">", "$folder/opaque") or return;
  binmode $out;
  my ($attribute, $count, @open) = ("user.overlay.opaque", 0, "");
  while (@open) {
    my $at = pop @open;
    my $here = "$folder/upper$at";
    my $value = "\0" x 8;
    print $out "$at/\0" if syscall($getxattr, $here, $attribute, $value, 8) == 1 && substr($value, 0, 1) eq "y";
    if (!opendir(my $names, $here)) { print $out "?\0" }
    else {
      for my $name (readdir $names) {
        next if $name eq "." || $name eq "..";
        if (++$count > 200_000) { print $out "?\0"; return }
        lstat("$here/$name");
        push @open, "$at/$name" if -d _;
      }
    }
  }
}
`;

/** The line inside the overlays. On `statusFd` it reports a folder that is another one. Null where this machine is not known. */
export function withOverlay(line: CommandLine, { layers, namespace }: Overlay, statusFd: number | null): CommandLine | null {
  const words = [
    ...(statusFd === null ? [] : ["STATUS", String(statusFd)]),
    ...(namespace === "mounts and users" ? ["USERS"] : []),
    ...layers.flatMap(({ mark, path, folder }) => ["LAYER", mark, path, folder]),
  ];
  return perlLine(OVERLAY, ["unshare", "mount", "getxattr"], words, line);
}
