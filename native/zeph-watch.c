/*
 * The watchdog: the process between Zeph and what Zeph starts. The perl program in src/host/sandbox/watchdog.ts does the same where this one cannot
 * be used, and says why it is there. Where the launcher (zeph-serve.c) starts it, it is a copy of that one and needs no words. The words:
 *
 *   FD:N          the descriptor whose other end Zeph holds; its end is the end of Zeph
 *   FEED:N:BYTES  so many bytes come through that descriptor first; the program finds them at its descriptor N
 *   GROUP:PATH    a cgroup that the program is put into, and that is removed when Zeph cannot do it any more
 */
#define _GNU_SOURCE
#include "zeph-run.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_FEEDS 4
#define MOST_FEED_BYTES (8u << 20)
#define INTO_CGROUP 0x200000000ULL
#define MOST_SECONDS 5

struct feed {
  int to, out, in;
  unsigned long length;
  char *text;
};

static struct feed feeds[MOST_FEEDS];
static unsigned feed_count;
static char bytes[MOST_FEED_BYTES];
static const char *group;
static int watched = -1, signals = -1;
static pid_t child;
static int status = -1;

int try_to_raise(int fd) {
  int high = fcntl(fd, F_DUPFD_CLOEXEC, LOW), why = errno;
  close(fd);
  errno = why;
  return high;
}

int raised(int fd) {
  int high = try_to_raise(fd);
  if (high < 0) stop("descriptors: %s", strerror(errno));
  return high;
}

void feed(int to, char *text, unsigned long length) {
  if (feed_count == MOST_FEEDS || to < 0 || to >= LOW) stop("no such feed: %d", to);
  feeds[feed_count++] = (struct feed){.to = to, .length = length, .text = text};
}

static void read_word(const char *word) {
  const char *rest;
  if ((rest = after(word, "FD:"))) watched = raised((int)number(&rest, LOW - 1));
  else if ((rest = after(word, "GROUP:"))) group = rest;
  else if ((rest = after(word, "FEED:"))) {
    int to = (int)number(&rest, LOW - 1);
    feed(to, NULL, number(&rest, MOST_FEED_BYTES));
  } else stop("no such word: %.40s", word);
}

/* If Zeph is gone in the middle of it, nothing is started on half a set of walls. */
static void take_feeds(void) {
  size_t used = 0;
  for (struct feed *feed = feeds; feed < feeds + feed_count; feed++) {
    if (feed->length > sizeof bytes - used) stop("too much to feed");
    feed->text = bytes + used;
    used += feed->length;
    for (size_t have = 0; have < feed->length;) {
      ssize_t count = read(watched, feed->text + have, feed->length - have);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) _exit(REFUSED);
      have += (size_t)count;
    }
  }
}

static void open_feeds(void) {
  for (struct feed *feed = feeds; feed < feeds + feed_count; feed++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) stop("pipe: %s", strerror(errno));
    feed->out = raised(ends[0]);
    feed->in = raised(ends[1]);
  }
}

/* Whether Zeph is gone. What it says means nothing any more; only its end does. */
static bool over(void) {
  struct pollfd look = {.fd = watched, .events = POLLIN};
  if (poll(&look, 1, 0) < 1) return false;
  char ignored[4096];
  ssize_t count = read(watched, ignored, sizeof ignored);
  return count < 0 ? errno != EAGAIN && errno != EINTR : count == 0;
}

static bool is_in_group(const char *name) {
  char path[4096];
  return snprintf(path, sizeof path, "%s/%s", group, name) < (int)sizeof path && access(path, F_OK) == 0;
}

/*
 * To move another process, the kernel waits until nobody on the machine is in the middle of something, which takes it milliseconds. One thread that
 * moves itself does not have to wait (version 1: `tasks`), nor does a process that is born there (version 2, see below).
 */
static void enter_group(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", group, is_in_group("tasks") ? "tasks" : "cgroup.procs");
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, "0", 1) != 1) stop("%s cannot be entered: %s", group, strerror(errno));
  close(fd);
}

struct clone_words {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* Born in the group, where the kernel can do that: then `is_inside` is true in the child. */
static pid_t bear(bool *is_inside) {
  int folder = group && !is_in_group("tasks") ? open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  struct clone_words how = {.flags = INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)folder};
  *is_inside = true;
  long born = folder < 0 ? -1 : syscall(SYS_clone3, &how, sizeof how);
  if (born >= 0) return (pid_t)born;
  *is_inside = group == NULL;
  return fork();
}

static void become_child(pid_t parent, bool is_inside, const sigset_t *mask, char **words) __attribute__((noreturn));
static void become_child(pid_t parent, bool is_inside, const sigset_t *mask, char **words) {
  signal(SIGPIPE, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(REFUSED);
  setpgid(0, 0);
  if (!is_inside) enter_group();
  for (struct feed *feed = feeds; feed < feeds + feed_count; feed++)
    if (dup2(feed->out, feed->to) < 0) stop("descriptors: %s", strerror(errno));
  sigprocmask(SIG_SETMASK, mask, NULL);
  become(words);
}

/* A program that has died before it read everything says more by its end than we could. */
static void give_feeds(void) {
  for (struct feed *feed = feeds; feed < feeds + feed_count; feed++) close(feed->out);
  for (struct feed *feed = feeds; feed < feeds + feed_count; feed++) {
    for (size_t at = 0; at < feed->length;) {
      ssize_t count = write(feed->in, feed->text + at, feed->length - at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) break;
      at += (size_t)count;
    }
    close(feed->in);
  }
}

/* What the program holds must end with the program, not with us. */
static void let_go(void) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 2 && null >= 0; fd++) dup2(null, fd);
  DIR *all = opendir("/proc/self/fd");
  for (struct dirent *entry; all && (entry = readdir(all));) {
    int fd = atoi(entry->d_name);
    if (fd > 2 && fd != watched && fd != signals && fd != dirfd(all)) close(fd);
  }
  if (all) closedir(all);
  else
    for (int fd = 3; fd < 1024; fd++)
      if (fd != watched && fd != signals) close(fd);
}

static pid_t parent_of(const char *pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[count < 0 ? 0 : count] = 0;
  /* The name before it may hold anything, brackets too. */
  const char *end = strrchr(text, ')');
  int parent = 0;
  return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

void kill_children(bool is_kept(pid_t pid)) {
  char path[64];
  pid_t me = getpid();
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", me, me);
  FILE *list = fopen(path, "re");
  if (list) {
    for (int pid; fscanf(list, "%d", &pid) == 1;)
      if (is_kept == NULL || !is_kept(pid)) kill(pid, SIGKILL);
    fclose(list);
    return;
  }
  DIR *all = opendir("/proc");
  if (all == NULL && child > 0) kill(child, SIGKILL);
  for (struct dirent *entry; all && (entry = readdir(all));) {
    pid_t pid = atoi(entry->d_name);
    if (pid > 0 && parent_of(entry->d_name) == me && (is_kept == NULL || !is_kept(pid))) kill(pid, SIGKILL);
  }
  if (all) closedir(all);
}

/* False when there is nobody left. */
static bool reap(void) {
  for (;;) {
    int how;
    pid_t pid = waitpid(-1, &how, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
    if (pid > 0 && pid == child) status = how;
  }
}

/* The number of a signal that is meant for us, or 0. */
static int heard(void) {
  struct signalfd_siginfo said;
  int found = 0;
  while (read(signals, &said, sizeof said) == (ssize_t)sizeof said)
    if (said.ssi_signo != SIGCHLD) found = (int)said.ssi_signo;
  return found;
}

/* What loses its parent comes to us, so nothing gets away by that. */
static void end_all(void) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do {
    if (!reap()) return;
    kill_children(NULL);
    struct pollfd wake = {.fd = signals, .events = POLLIN};
    poll(&wake, 1, 2);
    heard();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - from.tv_sec <= MOST_SECONDS);
}

static void remove_group(void) {
  struct timespec pause = {.tv_nsec = 10000000};
  for (int tries = 0; group && tries < 100 && rmdir(group) != 0 && errno == EBUSY; tries++) nanosleep(&pause, NULL);
}

static void end_by(int number) __attribute__((noreturn));
static void end_by(int number) {
  sigset_t one;
  prctl(PR_SET_DUMPABLE, 0);
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  kill(getpid(), number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  _exit(128 + number);
}

void watch(char **words) {
  for (; *words && strcmp(*words, "--") != 0; words++) read_word(*words);
  if (*words == NULL || words[1] == NULL) stop("no program");
  if (watched < 0) stop("no watch");
  signal(SIGPIPE, SIG_IGN);
  take_feeds();
  guard(watched, group, words + 1);
}

void guard(int lifeline, const char *cgroup, char **words) {
  watched = lifeline;
  group = cgroup;
  /* What follows needs a parent that is told of every child. */
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  open_feeds();
  if (over()) _exit(REFUSED);

  sigset_t ours, before;
  sigemptyset(&ours);
  const int numbers[] = {SIGCHLD, SIGHUP, SIGINT, SIGTERM};
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) sigaddset(&ours, numbers[n]);
  sigprocmask(SIG_BLOCK, &ours, &before);
  int fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) stop("signals: %s", strerror(errno));
  signals = raised(fd);

  pid_t me = getpid();
  bool is_inside;
  child = bear(&is_inside);
  if (child < 0) stop("fork: %s", strerror(errno));
  if (child == 0) become_child(me, is_inside, &before, words);
  give_feeds();
  let_go();

  for (;;) {
    struct pollfd both[] = {{.fd = watched, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    poll(both, 2, -1);
    int told = heard();
    if (told || over()) {
      end_all();
      remove_group();
      end_by(told ? told : SIGKILL);
    }
    reap();
    if (status >= 0) break;
  }
  end_all();
  if (WIFSIGNALED(status)) end_by(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}
