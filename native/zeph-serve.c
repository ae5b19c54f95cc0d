/*
 * The launcher: one small process that starts the commands of a Zeph. Whoever starts a program copies itself first, and this one is copied in a
 * fraction of the time that a whole Node takes. Each copy is the watchdog of one command (zeph-watch.c).
 *
 * Descriptor 0 brings requests. A number has four bytes, the lowest first; a text ends with a zero byte; a list is a number and so many of it.
 *
 *   LENGTH START ID UID GID  OUTPUTS: list of numbers  FEEDS: list of (number, length, bytes)  FOLDER: text  GROUP: text
 *                            WORDS: list of texts  VARIABLES: list of texts
 *   LENGTH END ID            ends that command
 *
 * Descriptor 1 takes what there is to tell: ID WHAT LENGTH, and so many bytes. WHAT is the number of an output, or one of the three below.
 * When descriptor 0 ends, Zeph is gone, and with this process all lifelines end.
 */
#define _GNU_SOURCE
#include "zeph-run.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START = 1, END = 2 };
enum { STARTED = 256, ENDED = 257, FAILED = 258 };

#define NOBODY_ELSE UINT32_MAX
#define MOST_OUTPUTS 6
#define MOST_COMMANDS 1024
#define MOST_REQUEST (16u << 20)
#define KEPT_ROOM (1u << 20)
#define PIECE 65536
/* Nobody is in a hurry to learn the number of a process. */
#define PATIENCE_MS 20
/* Whoever got away with a descriptor, as another user can, keeps nobody waiting for longer. */
#define LINGER_MS 1000
/* The most that a pipe holds. Whatever comes after so much was written when the command was over. */
#define MOST_IN_PIPE (1u << 20)

struct output {
  uint32_t number;
  int fd;
  bool is_midline;
  size_t after_end;
};

struct command {
  uint32_t id;
  pid_t pid;
  int lifeline, status;
  bool is_over;
  long over_at;
  unsigned outputs;
  struct output output[MOST_OUTPUTS];
};

struct text {
  char *at, *end;
};

struct room {
  char *bytes;
  size_t used, size;
};

static struct command commands[MOST_COMMANDS];
static unsigned command_count;
static struct room coming, going;
static bool is_urgent, is_lingering;
static int from_zeph, to_zeph, signals;

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void make_room(struct room *room, size_t more) {
  if (room->size - room->used >= more) return;
  room->size = room->used + more + PIECE;
  room->bytes = realloc(room->bytes, room->size);
  if (room->bytes == NULL) stop("memory");
}

static void drop(struct room *room, size_t count) {
  memmove(room->bytes, room->bytes + count, room->used - count);
  room->used -= count;
  if (room->used > 0 || room->size <= KEPT_ROOM) return;
  free(room->bytes);
  *room = (struct room){0};
}

static void flush(void) {
  while (going.used > 0) {
    ssize_t count = write(to_zeph, going.bytes, going.used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) _exit(0);
    drop(&going, (size_t)count);
  }
  is_urgent = false;
}

static void tell(uint32_t id, uint32_t what, const void *bytes, uint32_t length) {
  const uint32_t head[] = {id, what, length};
  make_room(&going, sizeof head + length);
  memcpy(going.bytes + going.used, head, sizeof head);
  if (length > 0) memcpy(going.bytes + going.used + sizeof head, bytes, length);
  going.used += sizeof head + length;
  if (what == STARTED) return;
  is_urgent = true;
  flush();
}

static void tell_failure(uint32_t id, const char *why) { tell(id, FAILED, why, (uint32_t)strlen(why)); }

static uint32_t take_number(struct text *in) {
  uint32_t value;
  if (in->end - in->at < (ptrdiff_t)sizeof value) stop("half a request");
  memcpy(&value, in->at, sizeof value);
  in->at += sizeof value;
  return value;
}

static char *take_bytes(struct text *in, uint32_t length) {
  char *from = in->at;
  if (length > (size_t)(in->end - in->at)) stop("half a request");
  in->at += length;
  return from;
}

static char *take_text(struct text *in) {
  char *zero = memchr(in->at, 0, (size_t)(in->end - in->at));
  if (zero == NULL) stop("half a request");
  return take_bytes(in, (uint32_t)(zero - in->at) + 1);
}

static char **take_texts(struct text *in) {
  uint32_t count = take_number(in);
  if (count > (size_t)(in->end - in->at)) stop("half a request");
  char **list = malloc((count + 1) * sizeof *list);
  if (list == NULL) stop("memory");
  for (uint32_t n = 0; n < count; n++) list[n] = take_text(in);
  list[count] = NULL;
  return list;
}

static void close_command(struct command *one) {
  if (one->lifeline >= 0) close(one->lifeline);
  one->lifeline = -1;
  for (unsigned n = 0; n < one->outputs; n++)
    if (one->output[n].fd >= 0) close(one->output[n].fd);
}

/* From here on this is a copy: of everything open it keeps what belongs to its own command. */
static void become_watchdog(struct command *own, struct text rest, const int *ends, int lifeline) __attribute__((noreturn));
static void become_watchdog(struct command *own, struct text rest, const int *ends, int lifeline) {
  sigset_t none;
  sigemptyset(&none);
  for (unsigned n = 0; n < command_count; n++) close_command(commands + n);
  close_command(own);
  close(from_zeph);
  close(to_zeph);
  close(signals);
  for (unsigned n = 0; n < own->outputs; n++)
    if (dup2(ends[n], (int)own->output[n].number) < 0) stop("descriptors: %s", strerror(errno));
  setsid();
  sigprocmask(SIG_SETMASK, &none, NULL);

  uint32_t uid = take_number(&rest), gid = take_number(&rest);
  for (uint32_t feeds = take_number(&rest); feeds > 0; feeds--) {
    uint32_t to = take_number(&rest), length = take_number(&rest);
    feed((int)to, take_bytes(&rest, length), length);
  }
  take_text(&rest);
  const char *group = take_text(&rest);
  char **words = take_texts(&rest);
  environ = take_texts(&rest);
  if (words[0] == NULL) stop("no program");
  if (uid != NOBODY_ELSE && (setgroups(0, NULL) != 0 || setgid(gid) != 0 || setuid(uid) != 0)) stop("user %u: %s", uid, strerror(errno));
  guard(lifeline, *group ? group : NULL, words);
}

/* Where the folder stands in a request, without looking at the rest. */
static const char *folder_of(struct text rest) {
  take_number(&rest);
  take_number(&rest);
  for (uint32_t feeds = take_number(&rest); feeds > 0; feeds--) {
    take_number(&rest);
    take_bytes(&rest, take_number(&rest));
  }
  return take_text(&rest);
}

static bool open_pipe(int *ours, int *theirs, bool is_lifeline) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  *ours = try_to_raise(ends[is_lifeline]);
  *theirs = try_to_raise(ends[!is_lifeline]);
  return *ours >= 0 && *theirs >= 0;
}

static void start(struct text in) {
  struct command one = {.id = take_number(&in), .lifeline = -1};
  int ends[MOST_OUTPUTS], lifeline = -1;
  uint32_t outputs = take_number(&in);
  if (outputs > MOST_OUTPUTS) stop("too many outputs");
  if (command_count == MOST_COMMANDS) return tell_failure(one.id, "too many commands at once");

  const char *why = NULL;
  for (; one.outputs < outputs && why == NULL; one.outputs++) {
    struct output *output = one.output + one.outputs;
    output->number = take_number(&in);
    if (output->number >= LOW) stop("no such output: %u", output->number);
    output->fd = ends[one.outputs] = -1;
    if (!open_pipe(&output->fd, ends + one.outputs, false)) why = strerror(errno);
  }
  if (why == NULL && !open_pipe(&one.lifeline, &lifeline, true)) why = strerror(errno);
  if (why == NULL && chdir(folder_of(in)) != 0) why = strerror(errno);
  if (why == NULL && (one.pid = fork()) == 0) become_watchdog(&one, in, ends, lifeline);
  if (why == NULL && one.pid < 0) why = strerror(errno);
  if (chdir("/") != 0) stop("/: %s", strerror(errno));

  for (unsigned n = 0; n < one.outputs; n++)
    if (ends[n] >= 0) close(ends[n]);
  if (lifeline >= 0) close(lifeline);
  if (why) {
    close_command(&one);
    return tell_failure(one.id, why);
  }
  commands[command_count++] = one;
  uint32_t pid = (uint32_t)one.pid;
  tell(one.id, STARTED, &pid, sizeof pid);
}

/* The watchdog sees its lifeline end, and ends everything. */
static void end(uint32_t id) {
  for (struct command *one = commands; one < commands + command_count; one++)
    if (one->id == id && one->lifeline >= 0) {
      close(one->lifeline);
      one->lifeline = -1;
    }
}

static void take_requests(void) {
  make_room(&coming, PIECE);
  ssize_t count = read(from_zeph, coming.bytes + coming.used, coming.size - coming.used);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) _exit(0);
  coming.used += (size_t)count;
  for (;;) {
    struct text in = {coming.bytes, coming.bytes + coming.used};
    if (coming.used < sizeof(uint32_t)) return;
    uint32_t length = take_number(&in);
    if (length > MOST_REQUEST) stop("too long a request");
    if (length > (size_t)(in.end - in.at)) return make_room(&coming, length);
    in.end = in.at + length;
    uint32_t what = take_number(&in);
    if (what == START) start(in);
    else if (what == END) end(take_number(&in));
    else stop("no such request: %u", what);
    drop(&coming, sizeof length + length);
  }
}

static struct command *watched_by(pid_t pid) {
  for (struct command *one = commands; one < commands + command_count; one++)
    if (one->pid == pid && !one->is_over) return one;
  return NULL;
}

static bool is_watchdog(pid_t pid) { return watched_by(pid) != NULL; }

/* A watchdog ends everything before it ends itself. What is left of one that was killed comes to us, and so does what that one had started. */
static void reap(void) {
  struct signalfd_siginfo said;
  while (read(signals, &said, sizeof said) > 0) continue;
  int status;
  bool has_orphans = false;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    struct command *one = watched_by(pid);
    has_orphans |= one == NULL || WIFSIGNALED(status);
    if (one == NULL) continue;
    one->status = status;
    one->is_over = true;
    one->over_at = now_ms();
  }
  if (has_orphans) kill_children(is_watchdog);
}

static bool is_silent(int fd) {
  struct pollfd look = {.fd = fd, .events = POLLIN};
  return poll(&look, 1, 0) == 0;
}

/* Whether there may be more to read from it. */
static bool is_open(struct command *one) {
  bool is_late = now_ms() - one->over_at > LINGER_MS, found = false;
  for (struct output *output = one->output; output < one->output + one->outputs; output++) {
    if (output->fd >= 0 && is_late && (output->after_end > MOST_IN_PIPE || is_silent(output->fd))) {
      close(output->fd);
      output->fd = -1;
    }
    found |= output->fd >= 0;
  }
  return found;
}

/* One that has ended is told of when everything it wrote was. */
static void finish(void) {
  is_lingering = false;
  for (unsigned n = 0; n < command_count && !is_urgent;) {
    struct command *one = commands + n;
    if (!one->is_over || is_open(one)) {
      is_lingering |= one->is_over;
      n++;
      continue;
    }
    close_command(one);
    uint32_t id = one->id, status = (uint32_t)one->status;
    *one = commands[--command_count];
    tell(id, ENDED, &status, sizeof status);
  }
}

static void pass_on(const struct command *one, struct output *output) {
  static char piece[PIECE];
  ssize_t count = read(output->fd, piece, sizeof piece);
  if (count < 0 && errno == EINTR) return;
  if (count > 0) {
    output->is_midline = piece[count - 1] != '\n';
    if (one->is_over) output->after_end += (size_t)count;
    return tell(one->id, output->number, piece, (uint32_t)count);
  }
  close(output->fd);
  output->fd = -1;
}

/* While Zeph does not listen, nothing more is read: whoever writes has to wait, and no memory fills. */
static void listen(void) {
  static struct pollfd all[3 + MOST_COMMANDS * MOST_OUTPUTS];
  static struct {
    struct command *command;
    struct output *output;
  } whose[3 + MOST_COMMANDS * MOST_OUTPUTS];
  nfds_t count = 3;
  all[0] = (struct pollfd){.fd = from_zeph, .events = POLLIN};
  all[1] = (struct pollfd){.fd = signals, .events = POLLIN};
  all[2] = (struct pollfd){.fd = is_urgent ? to_zeph : -1, .events = POLLOUT};
  for (struct command *one = commands; one < commands + command_count && !is_urgent; one++)
    for (unsigned n = 0; n < one->outputs; n++) {
      if (one->output[n].fd < 0) continue;
      all[count] = (struct pollfd){.fd = one->output[n].fd, .events = POLLIN};
      whose[count].command = one;
      whose[count++].output = one->output + n;
    }
  int ready = poll(all, count, (going.used > 0 || is_lingering) && !is_urgent ? PATIENCE_MS : -1);
  if (ready <= 0) return flush();
  if (all[2].revents) flush();
  /* Whoever was read in the middle of a line goes on first, so that the other output does not come between. */
  for (int turn = 0; turn < 2; turn++)
    for (nfds_t n = 3; n < count && !is_urgent; n++) {
      if (!all[n].revents || (turn == 0 && !whose[n].output->is_midline)) continue;
      pass_on(whose[n].command, whose[n].output);
      all[n].revents = 0;
    }
  if (all[1].revents) reap();
  if (all[0].revents) take_requests();
}

void serve(void) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGCHLD);
  sigprocmask(SIG_SETMASK, &one, NULL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
    for (int fd = 3; fd < 4096; fd++) close(fd);
  from_zeph = raised(0);
  to_zeph = raised(1);
  int null = open("/dev/null", O_RDWR);
  if (null != 0 || dup2(null, 1) != 1) stop("/dev/null: %s", strerror(errno));
  int fd = signalfd(-1, &one, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) stop("signals: %s", strerror(errno));
  signals = raised(fd);
  if (fcntl(to_zeph, F_SETFL, O_NONBLOCK) != 0 || chdir("/") != 0) stop("%s", strerror(errno));
  for (;;) {
    listen();
    finish();
  }
}
