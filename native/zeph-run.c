/*
 * What stands before a command. Four programs in one, without a library of their own:
 *
 *   zeph-run build WORD... -- PROGRAM [ARGUMENT...]   starts PROGRAM behind walls (zeph-walls.c)
 *   zeph-run serve                                    starts commands for as long as Zeph lives (zeph-serve.c)
 *   zeph-run watch WORD... -- PROGRAM [ARGUMENT...]   starts PROGRAM and ends everything it started, when it has ended or when Zeph is gone
 *                                                     (zeph-watch.c)
 *   zeph-run enter WORD... -- PROGRAM [ARGUMENT...]   does what the words say, and becomes PROGRAM
 *
 * The words of `enter`:
 *
 *   TIED                      the kernel is asked to kill it when the process that started it ends
 *   LIMIT:NAME:VALUE          a limit of the process and of what it starts
 *   MOUNTS:FD                 if bubblewrap mounted something else than was judged, nothing is started (zeph-audit.c)
 *   REPORT:FD                 where it is reported that something has changed, and that processes were stopped
 *
 * As the first process of a PID namespace `enter` stays there, and PROGRAM is its child.
 */
#define _GNU_SOURCE
#include "zeph-run.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void stop(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("zeph-run: ", stderr);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  _exit(REFUSED);
}

unsigned long number(const char **text, unsigned long most) {
  unsigned long value = 0;
  const char *at = *text;
  for (; *at >= '0' && *at <= '9'; at++) {
    if (value > (~0UL - 9) / 10) stop("too large: %.40s", *text);
    value = value * 10 + (unsigned long)(*at - '0');
  }
  if (at == *text || (*at != 0 && *at != ':') || value > most) stop("no such number: %.40s", *text);
  *text = *at == ':' ? at + 1 : at;
  return value;
}

const char *after(const char *word, const char *beginning) {
  size_t length = strlen(beginning);
  return strncmp(word, beginning, length) == 0 ? word + length : NULL;
}

void become(char **words) {
  execvp(words[0], words);
  fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
  _exit(NOT_FOUND);
}

static const struct {
  const char *name;
  int kind;
} LIMITS[] = {
    {"nproc:", RLIMIT_NPROC}, {"nofile:", RLIMIT_NOFILE}, {"core:", RLIMIT_CORE}, {"fsize:", RLIMIT_FSIZE}, {"data:", RLIMIT_DATA}};

/* Never more than there was. */
void set_limit(const char *word) {
  for (size_t n = 0; n < sizeof LIMITS / sizeof *LIMITS; n++) {
    const char *text = after(word, LIMITS[n].name);
    if (text == NULL) continue;
    struct rlimit now;
    rlim_t wanted = number(&text, ~0UL >> 1);
    if (getrlimit(LIMITS[n].kind, &now) != 0) stop("%s: %s", word, strerror(errno));
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted) wanted = now.rlim_max;
    now.rlim_cur = now.rlim_max = wanted;
    if (setrlimit(LIMITS[n].kind, &now) != 0) stop("%s: %s", word, strerror(errno));
    return;
  }
  stop("no such limit: %.40s", word);
}

static int report = -1;

void report_to(int fd) { report = fd; }

void refuse_changed(const char *path) {
  if (report >= 0) dprintf(report, "{ \"changed\": true }\n");
  fprintf(stderr, "%s: it is no longer what it was when the command was judged.\n", path);
  _exit(CHANGED);
}

/* Nothing inside may end this process or look at it. */
static void stay_first(char **words) __attribute__((noreturn));
static void stay_first(char **words) {
  sigset_t ours, before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGCHLD);
  sigaddset(&ours, SIGUSR1);
  sigaddset(&ours, SIGUSR2);
  sigprocmask(SIG_BLOCK, &ours, &before);
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) stop("dumpable: %s", strerror(errno));
  if (report >= 0) dprintf(report, "{ \"ready\": true }\n");
  pid_t child = fork();
  if (child < 0) stop("fork: %s", strerror(errno));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    become(words);
  }
  for (int fd = 3; fd < LOW; fd++)
    if (fd != report) close(fd);
  for (;;) {
    siginfo_t told;
    int number = sigwaitinfo(&ours, &told);
    /* Only who is outside of this namespace has no pid here. A sender inside can claim that too, but then the kernel says that it was queued. */
    if (number != SIGCHLD && number > 0 && told.si_code == SI_USER && told.si_pid == 0) {
      kill(-1, number == SIGUSR1 ? SIGSTOP : SIGCONT);
      if (number == SIGUSR1 && report >= 0) dprintf(report, "{ \"stopped\": true }\n");
    }
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
      if (pid == child) _exit(WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
  }
}

static int own_descriptor(const char *text) {
  int fd = (int)number(&text, LOW - 1);
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) stop("descriptor %d: %s", fd, strerror(errno));
  return fd;
}

static void enter(char **words) {
  for (; *words && strcmp(*words, "--") != 0; words++) {
    const char *rest;
    if (strcmp(*words, "TIED") == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    else if ((rest = after(*words, "LIMIT:"))) set_limit(rest);
    else if ((rest = after(*words, "REPORT:"))) report = own_descriptor(rest);
    else if ((rest = after(*words, "MOUNTS:"))) compare_mounts(own_descriptor(rest));
    else stop("no such word: %.40s", *words);
  }
  if (*words == NULL || words[1] == NULL) stop("no program");
  if (getpid() == 1) stay_first(words + 1);
  become(words + 1);
}

int main(int count, char **words) {
  if (count > 3 && strcmp(words[1], "build") == 0) build(words + 2);
  if (count > 3 && strcmp(words[1], "watch") == 0) watch(words + 2);
  if (count > 3 && strcmp(words[1], "enter") == 0) enter(words + 2);
  if (count == 2 && strcmp(words[1], "serve") == 0) serve();
  fputs("usage: zeph-run serve, or zeph-run build|watch|enter WORD... -- PROGRAM [ARGUMENT...]\n", stderr);
  return REFUSED;
}
