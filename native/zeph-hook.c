/*
 * What an agent calls in place of Zeph: it hands a question on to the resident process (`zeph hookd`) and prints the answer. It knows no agent and no
 * rule. Whatever goes wrong ends with a reason on stderr and exit code 2, which every agent takes for a denial. Where a person chose that a failure
 * lets calls run (ZEPH_HOOK_ON_FAILURE=allow), a hook ends with 1 then, and what is to follow stands in the command line of the hook.
 *
 *   zeph-hook CLIENT EVENT < input              one question, one answer
 *   zeph-hook exec [--ticket T] -- COMMAND…     a command behind the walls, with its own streams and exit code
 *   zeph-hook exec T                            the command that the ticket was made for
 *
 * Wire (src/front/hookd/wire.ts): one line of JSON to hookd; from there frames of a letter, four bytes of length and the bytes. `o` and `e` are printed, `x`
 * ends with that exit code, `g` says that a command was taken, `w` that the answer takes longer, `a` that this hookd is of another version and ends.
 * While a command runs, hookd is sent `i` (stdin; empty at its end) and `s` (a signal).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { REFUSED = 2, FAILED = 1, START_MS = 2000, STEP_MS = 5, ANSWER_MS = 5000, LONGER_MS = 25000, ROUNDS = 3, MOST = 8 << 20, MOST_FRAME = 64 << 20 };

static const char *call = "the call is not made";
static int failure = REFUSED;

static _Noreturn void refuse(const char *why) {
  fprintf(stderr, "zeph did not answer (%s); %s\n", why, call);
  exit(failure);
}

/* A command has nothing that could follow: what cannot be run is not run. */
static void choose_failure(int is_exec) {
  const char *chosen = getenv("ZEPH_HOOK_ON_FAILURE");
  if (is_exec) call = "the command is not run";
  else if (chosen && strcmp(chosen, "allow") == 0) failure = FAILED, call = "on failure calls are let through";
}

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000L + t.tv_nsec / 1000000L;
}

/* A text that grows up to what one line may have. */
struct text {
  char *at;
  size_t length, room;
};

static void add(struct text *text, const char *bytes, size_t length) {
  if (text->length + length > MOST) refuse("the call is longer than 8 MiB");
  if (text->length + length > text->room) {
    text->room = (text->length + length) * 2 + 4096;
    text->at = realloc(text->at, text->room);
    if (!text->at) refuse("no memory");
  }
  memcpy(text->at + text->length, bytes, length);
  text->length += length;
}

static void add_word(struct text *text, const char *word) { add(text, word, strlen(word)); }

static void add_quoted(struct text *text, const char *bytes, size_t length) {
  add(text, "\"", 1);
  for (size_t from = 0, at = 0; at <= length; at++) {
    unsigned char c = at < length ? (unsigned char)bytes[at] : 0;
    if (at < length && c >= 0x20 && c != '"' && c != '\\') continue;
    add(text, bytes + from, at - from);
    from = at + 1;
    if (at == length) break;
    char escaped[8];
    int n = c == '"' || c == '\\' ? snprintf(escaped, sizeof escaped, "\\%c", c) : snprintf(escaped, sizeof escaped, "\\u%04x", c);
    add(text, escaped, (size_t)n);
  }
  add(text, "\"", 1);
}

static void add_field(struct text *text, const char *name, const char *value) {
  add_word(text, text->at[text->length - 1] == '{' ? "\"" : ",\"");
  add_word(text, name);
  add_word(text, "\":");
  add_quoted(text, value, strlen(value));
}

/* The folder of the package: this program lies in its folder `vendor`. */
static char package[PATH_MAX];

static void find_package(void) {
  ssize_t length = readlink("/proc/self/exe", package, sizeof package - 1);
  if (length <= 0) refuse("it does not know where it lies");
  package[length] = 0;
  for (int steps = 0; steps < 2; steps++) {
    char *slash = strrchr(package, '/');
    if (!slash) refuse("it does not know where it lies");
    *slash = 0;
  }
}

static int path_of(char *into, const char *folder, const char *name) {
  int length = snprintf(into, PATH_MAX, "%s/%s", folder, name);
  return length > 0 && length < PATH_MAX;
}

/* The version that belongs to this program: npm writes the name and the version first. */
static void find_version(char *into, size_t room) {
  char path[PATH_MAX], text[2048];
  if (!path_of(path, package, "package.json")) refuse("its path is too long");
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (length <= 0) refuse("there is no package.json beside it");
  text[length] = 0;
  char *at = strstr(text, "\"version\"");
  char *from = at ? strchr(at + 9, '"') : NULL;
  char *to = from ? strchr(from + 1, '"') : NULL;
  if (!to || (size_t)(to - from - 1) >= room) refuse("package.json has no version");
  memcpy(into, from + 1, (size_t)(to - from - 1));
  into[to - from - 1] = 0;
}

static int is_own_folder(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

/* As src/front/hookd/socket-place.ts finds it. */
static char folder[PATH_MAX];

static void find_folder(void) {
  const char *runtime = getenv("XDG_RUNTIME_DIR"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int fits;
  if (runtime && runtime[0] == '/' && is_own_folder(runtime)) fits = path_of(folder, runtime, "zeph");
  else if (state && state[0] == '/') fits = path_of(folder, state, "zeph/hook");
  else if (home && home[0] == '/') fits = path_of(folder, home, ".local/state/zeph/hook");
  else refuse("there is no home folder");
  if (!fits) refuse("the path of its socket is too long");
}

/* The socket, or -1 where nobody listens. Somebody else's is refused. */
static int try_connect(void) {
  struct stat found;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (lstat(folder, &found) != 0) return -1;
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 077) != 0) refuse("the folder of its socket is not private");
  int at = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (at < 0) return -1;
  if (fstatat(at, "hook.sock", &found, AT_SYMLINK_NOFOLLOW) != 0) return close(at), -1;
  if (!S_ISSOCK(found.st_mode) || found.st_uid != geteuid()) refuse("its socket belongs to somebody else");
  /* Through the folder: a path may be longer than an address. */
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/hook.sock", at);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int failed = fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0;
  close(at);
  if (failed) {
    if (fd >= 0) close(fd);
    return -1;
  }
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) refuse("somebody else listens at its socket");
  return fd;
}

/* The resident process, apart from whoever calls: their end is not its end. */
static void start_hookd(void) {
  char program[PATH_MAX];
  if (!path_of(program, package, "bin/zeph.cjs")) refuse("its path is too long");
  pid_t child = fork();
  if (child < 0) refuse("no process can be started");
  if (child > 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
  if (nothing > 2) close(nothing);
  if (chdir("/") != 0) _exit(127);
  const char *node = getenv("ZEPH_NODE");
  if (node && node[0] == '/') execl(node, node, program, "hookd", (char *)NULL);
  else execl(program, program, "hookd", (char *)NULL);
  _exit(127);
}

static int connect_hookd(void) {
  long until = now_ms() + START_MS;
  int fd = try_connect();
  if (fd >= 0) return fd;
  start_hookd();
  while (now_ms() < until) {
    if ((fd = try_connect()) >= 0) return fd;
    poll(NULL, 0, STEP_MS);
  }
  refuse("zeph hookd did not start");
}

static int write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t n = write(fd, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      struct pollfd ready = {fd, POLLOUT, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (n <= 0) return -1;
    bytes += n;
    length -= (size_t)n;
  }
  return 0;
}

static int send_frame(int fd, char letter, const char *bytes, size_t length) {
  char head[5] = {letter, (char)(length >> 24), (char)(length >> 16), (char)(length >> 8), (char)length};
  return write_all(fd, head, 5) || write_all(fd, bytes, length);
}

static volatile sig_atomic_t signals[NSIG];
static int wake[2];

static void on_signal(int number) {
  int kept = errno;
  signals[number] = 1;
  if (write(wake[1], "", 1) < 0) { /* It is awake already. */ }
  errno = kept;
}

static const int HANDED_ON[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static void listen_for_signals(void) {
  if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0) refuse("no pipe can be made");
  struct sigaction action = {.sa_handler = on_signal};
  for (size_t n = 0; n < sizeof HANDED_ON / sizeof *HANDED_ON; n++) sigaction(HANDED_ON[n], &action, NULL);
}

/* What came of the answer and is not a whole frame yet. */
static char *held;
static size_t held_length, held_room;

/* Prints what frames say. -1: go on; -2: another hookd is wanted; otherwise the exit code. */
static int take_frames(long *until, int *taken) {
  size_t at = 0;
  int end = -1;
  while (end == -1 && held_length - at >= 5) {
    const unsigned char *head = (unsigned char *)held + at;
    size_t length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    if (length > MOST_FRAME || !strchr("oexgwa", head[0]) || !head[0]) refuse("it said something that is no answer");
    if (held_length - at - 5 < length) break;
    const char *bytes = held + at + 5;
    at += 5 + length;
    switch (head[0]) {
      case 'o': if (write_all(1, bytes, length) != 0) exit(REFUSED); break;
      case 'e': if (write_all(2, bytes, length) != 0) exit(REFUSED); break;
      case 'x': if (length != 1) refuse("it said something that is no answer"); end = (unsigned char)bytes[0]; break;
      case 'g': *taken = 1; *until = LONG_MAX; break;
      case 'w': *until = now_ms() + LONGER_MS; break;
      case 'a': if (*taken) refuse("it said something that is no answer"); end = -2; break;
    }
  }
  memmove(held, held + at, held_length - at);
  held_length -= at;
  return end;
}

static int read_answer(int fd) {
  if (held_room - held_length < 65536) {
    held_room = held_room * 2 + 131072;
    held = realloc(held, held_room);
    if (!held) refuse("no memory");
  }
  ssize_t n = read(fd, held + held_length, held_room - held_length);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  if (n <= 0) return -1;
  held_length += (size_t)n;
  return 0;
}

/* One round with one hookd. */
static int ask(const struct text *line, int stdin_fd) {
  int fd = connect_hookd(), taken = 0, code;
  long until = now_ms() + ANSWER_MS;
  held_length = 0;
  /* One that hangs does not read. Its side of the socket is full then, and we do not wait for it any longer than for an answer. */
  fcntl(fd, F_SETFL, O_NONBLOCK);
  size_t sent = 0;
  for (;;) {
    long left = until == LONG_MAX ? -1 : until - now_ms();
    if (until != LONG_MAX && left <= 0) refuse("no answer in time");
    int is_sending = sent < line->length;
    struct pollfd watched[] = {{fd, (short)(POLLIN | (is_sending ? POLLOUT : 0)), 0}, {wake[0], POLLIN, 0}, {taken ? stdin_fd : -1, POLLIN, 0}};
    if (poll(watched, 3, left > INT_MAX ? INT_MAX : (int)left) < 0 && errno != EINTR) refuse("it cannot wait");
    if (watched[0].revents & POLLOUT) {
      ssize_t n = write(fd, line->at + sent, line->length - sent);
      if (n > 0) sent += (size_t)n;
      else if (n < 0 && errno != EAGAIN && errno != EINTR && !(watched[0].revents & POLLIN)) refuse("it went away");
    }
    if (watched[0].revents & (POLLIN | POLLHUP | POLLERR)) {
      if (read_answer(fd) != 0) refuse(taken ? "it ended while the command ran, and how far that came is not known" : "it ended without an answer");
      if ((code = take_frames(&until, &taken)) != -1) return close(fd), code;
    }
    if (watched[1].revents & POLLIN) {
      char drained[64];
      while (read(wake[0], drained, sizeof drained) > 0) {}
      for (int number = 1; number < NSIG; number++)
        if (signals[number]) {
          signals[number] = 0;
          char byte = (char)number;
          if (!taken) exit(128 + number);
          if (send_frame(fd, 's', &byte, 1) != 0) refuse("it went away");
        }
    }
    if (watched[2].revents) {
      char bytes[65536];
      ssize_t n = read(stdin_fd, bytes, sizeof bytes);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (send_frame(fd, 'i', bytes, n > 0 ? (size_t)n : 0) != 0) stdin_fd = -1;
      if (n <= 0) stdin_fd = -1;
    }
  }
}

/* Whether a person sits in front of whoever calls: one of the programs above has a terminal as its input. */
static int has_person(void) {
  int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return 0;
  close(terminal);
  long pid = getppid();
  for (int steps = 0; steps < 4 && pid > 1; steps++) {
    char path[64], text[512], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/0", pid);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0) {
      target[length] = 0;
      if (strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0) return 1;
    }
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (length <= 0) return 0;
    text[length] = 0;
    char *name_end = strrchr(text, ')');
    if (!name_end || sscanf(name_end + 1, " %*c %ld", &pid) != 1) return 0;
  }
  return 0;
}

/* Variables of the caller that a command is given, where the walls let them through. */
static const char *const HANDED_VARIABLES[] = {"TZ", "COLUMNS", "LINES", "NO_COLOR", "CI", "SOURCE_DATE_EPOCH", "NODE_ENV"};

static void add_exec(struct text *line, int count, char **words) {
  const char *ticket = NULL;
  int at = 0;
  if (at + 1 < count && strcmp(words[at], "--ticket") == 0) ticket = words[at + 1], at += 2;
  if (!ticket && count == 1 && strcmp(words[0], "--") != 0) ticket = words[0], at = 1;
  if (at < count && strcmp(words[at], "--") != 0) refuse("usage: zeph-hook exec [--ticket t] -- <command>");
  if (at >= count && !ticket) refuse("usage: zeph-hook exec [--ticket t] -- <command>");
  if (ticket) add_field(line, "ticket", ticket);
  add_word(line, ",\"exec\":[");
  for (int n = at + 1; n < count; n++) {
    if (n > at + 1) add_word(line, ",");
    add_quoted(line, words[n], strlen(words[n]));
  }
  add_word(line, "],\"env\":{");
  for (size_t n = 0; n < sizeof HANDED_VARIABLES / sizeof *HANDED_VARIABLES; n++) {
    const char *value = getenv(HANDED_VARIABLES[n]);
    if (value) add_field(line, HANDED_VARIABLES[n], value);
  }
  add_word(line, "}");
}

/* Nothing is to be read from the null device, nor from what is closed: a command without stdin starts faster. */
static int has_input(void) {
  struct stat input, nothing;
  if (fstat(0, &input) != 0) return 0;
  return !(S_ISCHR(input.st_mode) && stat("/dev/null", &nothing) == 0 && input.st_rdev == nothing.st_rdev);
}

int main(int count, char **words) {
  int is_exec = count > 1 && strcmp(words[1], "exec") == 0;
  choose_failure(is_exec);
  if (!is_exec && count != 3) refuse("usage: zeph-hook <client> <event>");
  signal(SIGPIPE, SIG_IGN);
  find_package();
  find_folder();

  char version[64], here[PATH_MAX];
  find_version(version, sizeof version);
  if (!getcwd(here, sizeof here)) refuse("the working folder is gone");
  struct text line = {0};
  add_word(&line, "{\"v\":1,\"frames\":true");
  add_field(&line, "zeph", version);
  add_field(&line, "cwd", here);
  add_word(&line, has_person() ? ",\"tty\":true" : ",\"tty\":false");
  char own[32];
  snprintf(own, sizeof own, ",\"pid\":%ld", (long)getpid());
  add_word(&line, own);
  if (failure == FAILED) add_word(&line, ",\"lenient\":true");
  int input = -1;
  if (is_exec) {
    add_exec(&line, count - 2, words + 2);
    input = has_input() ? 0 : -1;
    add_word(&line, input < 0 ? ",\"stdin\":false" : ",\"stdin\":true");
    listen_for_signals();
  } else {
    wake[0] = -1;
    add_field(&line, "client", words[1]);
    add_field(&line, "event", words[2]);
    struct text given = {0};
    char bytes[65536];
    for (ssize_t n; (n = read(0, bytes, sizeof bytes)) != 0;) {
      if (n < 0 && errno != EINTR) refuse("its input cannot be read");
      if (n > 0) add(&given, bytes, (size_t)n);
    }
    add_word(&line, ",\"input\":");
    add_quoted(&line, given.at ? given.at : "", given.length);
  }
  add_word(&line, "}\n");

  for (int round = 0; round < ROUNDS; round++) {
    int code = ask(&line, input);
    if (code != -2) return code;
    /* It gives its place up at once. */
    poll(NULL, 0, STEP_MS);
  }
  refuse("every hookd that answered is of another version");
}
