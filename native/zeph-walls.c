/*
 * The walls of one command, built from file descriptors:
 *
 *   zeph-run build WORD... -- PROGRAM [ARGUMENT...]
 *
 * It takes the words of bubblewrap that src/host/sandbox/backends/bubblewrap.ts writes, and these:
 *
 *   --is DEVICE:INODE     before a bind or --chdir: the identity of its source, or of the folder, when it was judged
 *   --at DEVICE:INODE     before a bind or --tmpfs: the identity of the place that is covered
 *   --in DEVICE:INODE     before a bind or --tmpfs: the identity of the folder that holds the file which --is or --at identifies
 *   --no-links            before a bind: its source has no identity that could be known, and is found without following a link all the same
 *   --limit NAME:VALUE    a resource limit of the command
 *
 * bubblewrap looks up each path several times, and another process can rename something in between. Here each path is looked up once, without
 * following links, and compared with what was judged. The mount is cloned from that descriptor, restricted while nobody can see it, and placed
 * on a descriptor. A place inside a folder that is already placed is source and target at once, so it can cover nothing but itself.
 *
 * A file has an identity of its own and can have many names, so its folder is compared as well. Device 0 stands for the overlay of a dry run.
 *
 * Needs Linux 5.12 (mount_setattr). On `--json-status-fd` it reports as bubblewrap does: the pid of the first process inside, and the exit code
 * once the program was started. It ends with CHANGED when something is not what was judged.
 */
#define _GNU_SOURCE
#include "zeph-run.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
/* <sys/mount.h> and <linux/mount.h> cannot be included together. */
extern int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data);
extern int umount2(const char *target, int flags);
#define RECURSIVE_PRIVATE (0x4000ul | 0x40000ul)
#define PRIVATE_PROPAGATION 0x40000ul
#define DETACH 2

#define MOST_STEPS 4096
#define MOST_WORDS (1u << 20)
#define MOST_BYTES (8u << 20)
#define MOST_INSTRUCTIONS 4096
#define MOST_FRESH 256
/* How long a name is looked up again that leads elsewhere for the moment. */
#define SEARCH_MS 20

struct source {
  /* No link is followed on the way to it. */
  bool is_judged;
  struct judged judged;
};

enum kind { BIND, READ_ONLY_BIND, SYMLINK, PROC, DEV, TMPFS, FOLDER, REMOUNT_READ_ONLY };

/* One word with its arguments, in the order in which they are carried out. */
struct step {
  enum kind kind;
  const char *source, *target;
  struct source is;
  struct judged at;
  unsigned long size;
  unsigned mode;
  bool is_read_only;
};

static struct step *steps;
static unsigned step_count;
static char **variables;
static unsigned variable_count;
static const char *limits[8];
static unsigned limit_count;
static const char *start_folder = "/", *hostname;
static struct judged start_judged;
static bool closes_network, forbids_namespaces, starts_session, becomes_first;
static int status_fd = -1;
static struct sock_filter filter[MOST_INSTRUCTIONS];
static struct sock_fprog program = {.filter = filter};

/* The machine's root, the root inside, and the machine's /proc. */
static int outside, inside, proc;

static void fail(const char *what) __attribute__((noreturn));
static void fail(const char *what) { stop("%s: %s", what, strerror(errno)); }

/* What was removed after it was opened has changed, and can be judged again. */
static void fail_at(const char *path) __attribute__((noreturn));
static void fail_at(const char *path) {
  if (errno == ENOENT || errno == ESTALE) refuse_changed(path);
  fail(path);
}

/* ---- Reading the words ---- */

static unsigned long read_number(const char *text, int base) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, base);
  if (*text < '0' || *text > '9' || *end != 0 || errno != 0) stop("not a number: %.40s", text);
  return value;
}

static struct identity read_identity(const char *text) {
  struct identity found = {.is_known = true};
  found.device = number(&text, ~0UL);
  found.inode = number(&text, ~0UL);
  if (*text != 0) stop("not an identity: %.40s", text);
  return found;
}

char *read_all(int fd, size_t most, size_t *length) {
  char *bytes = NULL;
  size_t room = 0;
  *length = 0;
  for (;;) {
    if (*length == room && (bytes = realloc(bytes, room = room * 2 + 65536)) == NULL) stop("no memory");
    ssize_t count = read(fd, bytes + *length, room - *length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("the words");
    if (count == 0) break;
    *length += (size_t)count;
    if (*length > most) stop("too many bytes on descriptor %d", fd);
  }
  close(fd);
  return bytes;
}

/* All words: those behind `--args` take its place. */
static char **expand_words(char **words, unsigned *count) {
  char **all = malloc(MOST_WORDS * sizeof *all);
  if (all == NULL) stop("no memory");
  *count = 0;
  for (; *words && strcmp(*words, "--") != 0; words++) {
    if (*count + 1 >= MOST_WORDS) stop("too many words");
    if (strcmp(*words, "--args") != 0) {
      all[(*count)++] = *words;
      continue;
    }
    if (*++words == NULL) stop("--args needs a descriptor");
    size_t length;
    char *bytes = read_all((int)read_number(*words, 10), MOST_BYTES, &length);
    if (length > 0 && bytes[length - 1] != 0) stop("half a word");
    for (size_t at = 0; at < length; at += strlen(bytes + at) + 1) {
      if (*count + 1 >= MOST_WORDS) stop("too many words");
      all[(*count)++] = bytes + at;
    }
  }
  return all;
}

static void read_filter(int fd) {
  size_t length;
  char *bytes = read_all(fd, sizeof filter, &length);
  if (length == 0 || length % sizeof *filter != 0) stop("the system call filter is incomplete");
  memcpy(filter, bytes, length);
  program.len = (unsigned short)(length / sizeof *filter);
  free(bytes);
}

static void add_variable(const char *name, const char *value) {
  if (asprintf(variables + variable_count++, "%s=%s", name, value) < 0) stop("no memory");
}

/* Whether it is this word; then its arguments are passed over. */
static bool takes(const char *name, unsigned arguments, const char *word, unsigned *at, unsigned count) {
  if (strcmp(word, name) != 0) return false;
  if (count - *at < arguments) stop("%s needs more words", name);
  *at += arguments;
  return true;
}

static void read_words(char **words) {
  unsigned count;
  char **all = expand_words(words, &count);
  steps = calloc(MOST_STEPS, sizeof *steps);
  variables = calloc(count + 1, sizeof *variables);
  if (steps == NULL || variables == NULL) stop("no memory");
  struct source is = {0};
  struct judged at = {0};
  struct identity folder = {0};
  unsigned long size = 0;
  unsigned mode = 0;
  for (unsigned n = 0; n < count;) {
    const char *word = all[n++];
    char **rest = all + n;
    struct step step = {.is = is, .at = at, .size = size, .mode = mode};
    if (is.judged.place.is_known) step.is.judged.folder = folder;
    if (at.place.is_known) step.at.folder = folder;
    if (takes("--is", 1, word, &n, count)) { is = (struct source){.is_judged = true, .judged = {.place = read_identity(rest[0])}}; continue; }
    if (takes("--no-links", 0, word, &n, count)) { is = (struct source){.is_judged = true}; continue; }
    if (takes("--at", 1, word, &n, count)) { at = (struct judged){.place = read_identity(rest[0])}; continue; }
    if (takes("--in", 1, word, &n, count)) { folder = read_identity(rest[0]); continue; }
    if (takes("--size", 1, word, &n, count)) { size = read_number(rest[0], 10); continue; }
    if (takes("--perms", 1, word, &n, count)) { mode = (unsigned)read_number(rest[0], 8); continue; }
    is = (struct source){0};
    at = (struct judged){0};
    folder = (struct identity){0};
    size = mode = 0;
    if (takes("--unshare-user", 0, word, &n, count) || takes("--unshare-pid", 0, word, &n, count) || takes("--unshare-ipc", 0, word, &n, count) || takes("--unshare-uts", 0, word, &n, count)) continue;
    if (takes("--unshare-cgroup-try", 0, word, &n, count) || takes("--die-with-parent", 0, word, &n, count)) continue;
    if (takes("--cap-drop", 1, word, &n, count)) continue; /* All rights go, whatever it names. */
    if (takes("--unshare-net", 0, word, &n, count)) { closes_network = true; continue; }
    if (takes("--disable-userns", 0, word, &n, count)) { forbids_namespaces = true; continue; }
    if (takes("--new-session", 0, word, &n, count)) { starts_session = true; continue; }
    if (takes("--as-pid-1", 0, word, &n, count)) { becomes_first = true; continue; }
    if (takes("--hostname", 1, word, &n, count)) { hostname = rest[0]; continue; }
    if (takes("--chdir", 1, word, &n, count)) { start_folder = rest[0], start_judged = step.is.judged; continue; }
    if (takes("--setenv", 2, word, &n, count)) { add_variable(rest[0], rest[1]); continue; }
    if (takes("--seccomp", 1, word, &n, count)) { read_filter((int)read_number(rest[0], 10)); continue; }
    if (takes("--json-status-fd", 1, word, &n, count)) { status_fd = (int)read_number(rest[0], 10); continue; }
    if (takes("--limit", 1, word, &n, count)) {
      if (limit_count == sizeof limits / sizeof *limits) stop("too many limits");
      limits[limit_count++] = rest[0];
      continue;
    }
    if (takes("--bind", 2, word, &n, count)) step.kind = BIND, step.source = rest[0], step.target = rest[1];
    else if (takes("--ro-bind", 2, word, &n, count)) step.kind = READ_ONLY_BIND, step.source = rest[0], step.target = rest[1];
    else if (takes("--symlink", 2, word, &n, count)) step.kind = SYMLINK, step.source = rest[0], step.target = rest[1];
    else if (takes("--proc", 1, word, &n, count)) step.kind = PROC, step.target = rest[0];
    else if (takes("--dev", 1, word, &n, count)) step.kind = DEV, step.target = rest[0];
    else if (takes("--tmpfs", 1, word, &n, count)) step.kind = TMPFS, step.target = rest[0];
    else if (takes("--dir", 1, word, &n, count)) step.kind = FOLDER, step.target = rest[0];
    else if (takes("--remount-ro", 1, word, &n, count)) step.kind = REMOUNT_READ_ONLY, step.target = rest[0];
    else stop("no such word: %.40s", word);
    struct step *before = step_count > 0 ? steps + step_count - 1 : NULL;
    /* A folder that is closed at once is mounted closed: its name is not looked up a second time. */
    if (step.kind == REMOUNT_READ_ONLY && before && before->kind == TMPFS && strcmp(before->target, step.target) == 0) { before->is_read_only = true; continue; }
    if (step.target[0] != '/') stop("not an absolute path: %.200s", step.target);
    if (step_count == MOST_STEPS) stop("too many mounts");
    steps[step_count++] = step;
  }
  free(all);
}

/* Any other source belongs to the system, where no command can write. It may be a link, and is resolved before there are walls. */
static void resolve_system_sources(void) {
  for (struct step *step = steps; step < steps + step_count; step++) {
    if (step->kind != BIND && step->kind != READ_ONLY_BIND) continue;
    if (step->is.is_judged) continue;
    char *real = realpath(step->source, NULL);
    if (real != NULL) step->source = real;
  }
}

/* ---- Finding places ---- */

static struct stat stat_of(int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0) fail("fstat");
  return found;
}

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

/* The path is only a way to find what was judged, so looking again is safe: whatever is found is compared. */
static int find_place(int root, const char *path, struct judged wanted) {
  for (long until = now_ms() + SEARCH_MS;;) {
    int fd = open_judged(root, path, wanted);
    if (fd >= 0) return fd;
    if (errno != ESTALE && errno != ELOOP && errno != ENOENT && errno != ENOTDIR && errno != EXDEV && errno != EAGAIN && errno != EACCES) fail(path);
    if (now_ms() >= until) refuse_changed(path);
    sched_yield();
  }
}

/* File systems that were made a moment ago and that nobody else can have seen. Only there is anything created. */
static dev_t fresh_devices[MOST_FRESH];
static unsigned fresh_count;

static void note_fresh(int fd) {
  if (fresh_count == MOST_FRESH) stop("too many file systems");
  fresh_devices[fresh_count++] = stat_of(fd).st_dev;
}

static void require_fresh(int fd, const char *path) {
  dev_t device = stat_of(fd).st_dev;
  for (unsigned n = 0; n < fresh_count; n++)
    if (fresh_devices[n] == device) return;
  refuse_changed(path);
}

/* The folder above a target, made where it is missing; `name` is the rest. */
static int open_parent(const char *path, const char **name) {
  int at = open_place(inside, "/");
  if (at < 0) fail("/");
  for (const char *from = path + strspn(path, "/");;) {
    const char *to = strchr(from, '/');
    if (to == NULL) {
      *name = from;
      return at;
    }
    char part[NAME_MAX + 1];
    if (to == from || (size_t)(to - from) > NAME_MAX) stop("not a path: %.200s", path);
    memcpy(part, from, (size_t)(to - from));
    part[to - from] = 0;
    int next = open_place(at, part);
    if (next < 0) {
      if (errno != ENOENT) refuse_changed(path);
      require_fresh(at, path);
      if (mkdirat(at, part, 0755) != 0 && errno != EEXIST) fail(path);
      if ((next = open_place(at, part)) < 0) refuse_changed(path);
    }
    close(at);
    at = next;
    from = to + strspn(to, "/");
  }
}

enum target { ANY_FOLDER, ANY_FILE };

/* Where something is mounted. It is created only in a fresh file system. */
static int open_target(const char *path, enum target kind) {
  const char *name;
  int parent = open_parent(path, &name);
  int at = open_place(parent, *name ? name : ".");
  if (at < 0) {
    if (errno != ENOENT) refuse_changed(path);
    require_fresh(parent, path);
    if (kind == ANY_FOLDER) {
      if (mkdirat(parent, name, 0755) != 0) fail(path);
    } else {
      int file = openat(parent, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0444);
      if (file < 0) fail(path);
      close(file);
    }
    if ((at = open_place(parent, name)) < 0) refuse_changed(path);
  }
  close(parent);
  if (S_ISLNK(stat_of(at).st_mode)) refuse_changed(path);
  return at;
}

static int target_of(const struct step *step, enum target kind) {
  return step->at.place.is_known ? find_place(inside, step->target, step->at) : open_target(step->target, kind);
}

/* ---- Mounting ---- */

static void set_attributes(int tree, unsigned long set, unsigned long clear, unsigned flags) {
  struct mount_attr attributes = {.attr_set = set, .attr_clr = clear, .propagation = PRIVATE_PROPAGATION};
  if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | flags, &attributes, sizeof attributes) != 0) fail("mount_setattr");
}

static int clone_tree(int fd, unsigned flags, const char *what) {
  int tree = (int)syscall(SYS_open_tree, fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | flags);
  if (tree < 0) fail_at(what);
  return tree;
}

static void place(int tree, int at, const char *what) {
  if (syscall(SYS_move_mount, tree, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) fail_at(what);
}

static void configure(int fs, const char *name, const char *value, const char *what) {
  if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, name, value, 0) != 0) fail(what);
}

static int open_file_system(const char *type) {
  int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (fs < 0) fail(type);
  return fs;
}

static int create_mount(int fs, unsigned long attributes, const char *type) {
  if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) fail(type);
  int tree = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes);
  if (tree < 0) fail(type);
  close(fs);
  return tree;
}

static int create_tmpfs(unsigned mode, unsigned long size, unsigned long attributes) {
  char text[32];
  int fs = open_file_system("tmpfs");
  snprintf(text, sizeof text, "%o", mode ? mode : 0755);
  configure(fs, "mode", text, "tmpfs");
  if (size > 0) {
    snprintf(text, sizeof text, "%lu", size);
    configure(fs, "size", text, "tmpfs");
  }
  int tree = create_mount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | attributes, "tmpfs");
  note_fresh(tree);
  return tree;
}

/* What comes after the folder in the path; NULL where the path is not in the folder. */
static const char *rest_below(const char *folder, const char *path) {
  size_t length = strlen(folder);
  while (length > 0 && folder[length - 1] == '/') length--;
  return strncmp(folder, path, length) == 0 && (path[length] == '/' || path[length] == 0) ? path + length : NULL;
}

/*
 * The bind that shows this place already, under the same path in its source. A place like that is looked up once, through the mount that was
 * placed, and covers itself.
 */
static const struct step *bind_around(const struct step *step) {
  for (const struct step *other = step; other-- > steps;) {
    const char *rest = rest_below(other->target, step->target);
    if (rest == NULL) continue;
    if (other->kind == TMPFS || other->kind == DEV || other->kind == PROC) return NULL;
    if (other->kind != BIND && other->kind != READ_ONLY_BIND) continue;
    const char *source = rest_below(other->source, step->source);
    return source != NULL && strcmp(rest, source) == 0 ? other : NULL;
  }
  return NULL;
}

static void bind_place(const struct step *step) {
  const struct step *around = bind_around(step);
  struct judged wanted = step->is.judged;
  /* What was placed as a single file lies in a folder that was made for it. */
  if (around && *rest_below(around->target, step->target) == 0) wanted.folder.is_known = false;
  int from = around ? find_place(inside, step->target, wanted) : find_place(outside, step->source, wanted);
  int tree = clone_tree(from, AT_RECURSIVE, step->source);
  unsigned long closed = step->kind == READ_ONLY_BIND ? MOUNT_ATTR_RDONLY : 0;
  set_attributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | closed, 0, AT_RECURSIVE);
  /* A writable place in a folder that this program mounted read-only. */
  if (around && around->kind == READ_ONLY_BIND && step->kind == BIND) set_attributes(tree, 0, MOUNT_ATTR_RDONLY, 0);
  int to = around ? from : target_of(step, S_ISDIR(stat_of(from).st_mode) ? ANY_FOLDER : ANY_FILE);
  place(tree, to, step->target);
  close(tree);
  close(from);
  if (to != from) close(to);
}

static void mount_at(int tree, const char *path, enum target kind) {
  int at = open_target(path, kind);
  place(tree, at, path);
  close(at);
  close(tree);
}

static void link_in_device_folder(int folder, const char *target, const char *name) {
  if (symlinkat(target, folder, name) != 0) fail(name);
}

static void create_device_folder(const char *path) {
  static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
  char text[PATH_MAX];
  int folder = create_tmpfs(0755, 0, 0);
  if (mkdirat(folder, "shm", 0755) != 0 || mkdirat(folder, "pts", 0755) != 0) fail(path);
  link_in_device_folder(folder, "/proc/self/fd", "fd");
  link_in_device_folder(folder, "/proc/self/fd/0", "stdin");
  link_in_device_folder(folder, "/proc/self/fd/1", "stdout");
  link_in_device_folder(folder, "/proc/self/fd/2", "stderr");
  link_in_device_folder(folder, "/proc/kcore", "core");
  link_in_device_folder(folder, "pts/ptmx", "ptmx");
  int at = open_target(path, ANY_FOLDER);
  place(folder, at, path);
  close(at);
  for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++) {
    snprintf(text, sizeof text, "/dev/%s", nodes[n]);
    int from = open_place(outside, text);
    if (from < 0) fail(text);
    if (!S_ISCHR(stat_of(from).st_mode)) stop("%s is not a device", text);
    int tree = clone_tree(from, 0, text);
    set_attributes(tree, MOUNT_ATTR_NOSUID, 0, 0);
    snprintf(text, sizeof text, "%s/%s", path, nodes[n]);
    mount_at(tree, text, ANY_FILE);
    close(from);
  }
  int fs = open_file_system("devpts");
  configure(fs, "ptmxmode", "0666", "devpts");
  configure(fs, "mode", "620", "devpts");
  snprintf(text, sizeof text, "%s/pts", path);
  mount_at(create_mount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "devpts"), text, ANY_FOLDER);
  close(folder);
}

static void create_link(const struct step *step) {
  const char *name;
  int parent = open_parent(step->target, &name);
  require_fresh(parent, step->target);
  if (symlinkat(step->source, parent, name) != 0) fail(step->target);
  close(parent);
}

static void carry_out(const struct step *step) {
  switch (step->kind) {
    case BIND:
    case READ_ONLY_BIND: return bind_place(step);
    case SYMLINK: return create_link(step);
    case FOLDER: close(open_target(step->target, ANY_FOLDER)); return;
    case DEV: return create_device_folder(step->target);
    case PROC:
      /* Read-only from the start: as root, /proc/sys belongs to us and needs no capability. */
      return mount_at(create_mount(open_file_system("proc"), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, "proc"), step->target, ANY_FOLDER);
    case TMPFS: {
      int at = target_of(step, ANY_FOLDER), tree = create_tmpfs(step->mode, step->size, step->is_read_only ? MOUNT_ATTR_RDONLY : 0);
      place(tree, at, step->target);
      close(tree);
      close(at);
      return;
    }
    case REMOUNT_READ_ONLY: {
      int at = open_place(inside, step->target);
      if (at < 0) fail(step->target);
      set_attributes(at, MOUNT_ATTR_RDONLY, 0, 0);
      close(at);
      return;
    }
  }
}

/* ---- The first process inside ---- */

static void write_proc(const char *name, const char *text) {
  int fd = openat(proc, name, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) fail(name);
  close(fd);
}

static void map_users(uid_t uid, gid_t gid) {
  char text[64];
  write_proc("self/setgroups", "deny");
  snprintf(text, sizeof text, "%u %u 1\n", uid, uid);
  write_proc("self/uid_map", text);
  snprintf(text, sizeof text, "%u %u 1\n", gid, gid);
  write_proc("self/gid_map", text);
}

/* A new network has nothing but `lo`, and that is down. */
static void start_loopback(void) {
  struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) != 0) fail("lo");
  close(fd);
}

/* An empty root, with the machine's below it until everything is placed. */
static void begin_root(void) {
  if (mount(NULL, "/", NULL, RECURSIVE_PRIVATE, NULL) != 0) fail("the mounts cannot be made private");
  if ((outside = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) fail("/");
  inside = create_tmpfs(0755, 0, 0);
  /* Any folder will do: this mount is moved to the top by pivot_root. */
  int at = open_place(outside, "/usr");
  if (at < 0) fail("/usr");
  place(inside, at, "the root");
  close(at);
  if (fchdir(inside) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) fail("pivot_root");
}

static void drop_machine_root(void) {
  if (fchdir(outside) != 0 || umount2(".", DETACH) != 0) fail("the machine's root");
  if (fchdir(inside) != 0 || chroot(".") != 0) fail("chroot");
}

static void drop_rights(void) {
  for (int capability = 0; prctl(PR_CAPBSET_DROP, capability) == 0; capability++) continue;
  if (errno != EINVAL) fail("capabilities");
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {0};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall(SYS_capset, &head, none) != 0) fail("capabilities");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
}

static void apply_filter(void) {
  if (program.len > 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("the system call filter");
}

static void become_command(int ready, char **words) __attribute__((noreturn));
static void become_command(int ready, char **words) {
  apply_filter();
  for (unsigned n = 0; n < limit_count; n++) set_limit(limits[n]);
  if (write(ready, "r", 1) != 1) _exit(REFUSED);
  environ = variables;
  become(words);
}

static void be_first(int go, int ready, uid_t uid, gid_t gid, char **words) __attribute__((noreturn));
static void be_first(int go, int ready, uid_t uid, gid_t gid, char **words) {
  char byte;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* If the parent was gone before that, this end is closed. */
  if (read(go, &byte, 1) != 1) _exit(REFUSED);
  map_users(uid, gid);
  if (hostname && sethostname(hostname, strlen(hostname)) != 0) fail("hostname");
  if (closes_network) start_loopback();
  begin_root();
  for (struct step *step = steps; step < steps + step_count; step++) carry_out(step);
  int start = find_place(inside, start_folder, start_judged);
  drop_machine_root();
  if (fchdir(start) != 0) fail(start_folder);
  if (forbids_namespaces) write_proc("sys/user/max_user_namespaces", "0");
  drop_rights();
  if (starts_session) setsid();
  if (becomes_first) become_command(ready, words);
  /* A command can look at /proc/1. So nobody may look at this process, whose memory holds the variables, and it keeps no descriptor but the outputs. */
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) fail("dumpable");
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become_command(ready, words);
  apply_filter();
  if (syscall(SYS_close_range, 3, ~0U, 0) != 0) _exit(REFUSED);
  for (;;) {
    int how;
    pid_t pid = wait(&how);
    if (pid == child) _exit(WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
    if (pid < 0 && errno != EINTR) _exit(REFUSED);
  }
}

void build(char **words) {
  char **command = words;
  while (*command && strcmp(*command, "--") != 0) command++;
  if (*command == NULL || command[1] == NULL) stop("no program");
  read_words(words);
  resolve_system_sources();
  if (status_fd >= 0) fcntl(status_fd, F_SETFD, FD_CLOEXEC);
  report_to(status_fd);
  if ((proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) fail("/proc");
  int go[2], ready[2];
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0) fail("pipe");
  uid_t uid = getuid();
  gid_t gid = getgid();
  unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pid_t first = (pid_t)syscall(SYS_clone, flags | (closes_network ? CLONE_NEWNET : 0) | SIGCHLD, NULL, NULL, NULL, NULL);
  if (first < 0) stop("no new namespaces: %s", strerror(errno));
  if (first == 0) {
    close(go[1]);
    close(ready[0]);
    be_first(go[0], ready[1], uid, gid, command + 1);
  }
  close(go[0]);
  close(ready[1]);
  if (status_fd >= 0) dprintf(status_fd, "{ \"child-pid\": %d }\n", first);
  if (write(go[1], "g", 1) != 1) fail("the first process");
  char byte;
  bool is_ready = read(ready[0], &byte, 1) == 1;
  if (status_fd >= 0 && is_ready) dprintf(status_fd, "{ \"ready\": true }\n");
  int how;
  while (waitpid(first, &how, 0) < 0)
    if (errno != EINTR) fail("wait");
  int code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  if (status_fd >= 0 && is_ready) dprintf(status_fd, "{ \"exit-code\": %d }\n", code);
  _exit(code);
}
