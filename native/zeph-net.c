/*
 * The closed network of one session. Two programs in one, both without a library of their own and without memory from the heap:
 *
 *   zeph-net hold [PORT SOCKET]   runs inside a network namespace and keeps it: it has no way out, only `lo`. With a port and the path of a
 *                                 unix socket, 127.0.0.1:PORT leads to that socket. Says "ready" on descriptor 1. Ends with its input.
 *   zeph-net join PID USER NET PROGRAM [ARGUMENT...]
 *                                 enters the user and the network namespace of that process and becomes PROGRAM. USER and NET are the numbers
 *                                 (inodes) that the namespaces must have: a process that died, or whose number is another's by now, is not joined.
 *
 * The forwarder judges nothing: whoever listens at the socket does.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define REFUSED 125
#define NS_GET_NSTYPE 0xb703

static void stop(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void stop(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("zeph-net: ", stderr);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  exit(REFUSED);
}

/* Digits and nothing else: no sign, no space, no overflow. */
static unsigned long number(const char *text, unsigned long most) {
  unsigned long value = 0;
  if (*text == 0 || strlen(text) > 19) stop("no number: %.40s", text);
  for (; *text; text++) {
    if (*text < '0' || *text > '9') stop("no number");
    value = value * 10 + (unsigned long)(*text - '0');
  }
  if (value > most) stop("too large: %lu", value);
  return value;
}

/* ---- join ---- */

static ino_t inode_of(int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0) stop("fstat: %s", strerror(errno));
  return found.st_ino;
}

static ino_t own_inode(const char *name) {
  char path[64];
  struct stat found;
  snprintf(path, sizeof path, "/proc/self/ns/%s", name);
  if (stat(path, &found) != 0) stop("%s: %s", path, strerror(errno));
  return found.st_ino;
}

/* What is compared is what is entered: the descriptor, never the name a second time. */
static int open_namespace(unsigned long pid, const char *name, int kind, unsigned long expected) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%lu/ns/%s", pid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) stop("the session's network is gone (%s: %s)", path, strerror(errno));
  if (ioctl(fd, NS_GET_NSTYPE) != kind) stop("%s is no namespace of that kind", path);
  if (inode_of(fd) != (ino_t)expected) stop("the session's network is gone: %s is another's", path);
  if (own_inode(name) == (ino_t)expected) stop("%s is the one we are in", path);
  return fd;
}

static void join(char **words) {
  unsigned long pid = number(words[0], 1UL << 22);
  int user = open_namespace(pid, "user", CLONE_NEWUSER, number(words[1], ~0UL >> 1));
  int net = open_namespace(pid, "net", CLONE_NEWNET, number(words[2], ~0UL >> 1));
  ino_t expected = inode_of(net);
  if (setns(user, CLONE_NEWUSER) != 0) stop("the session's user namespace: %s", strerror(errno));
  if (setns(net, CLONE_NEWNET) != 0) stop("the session's network: %s", strerror(errno));
  if (own_inode("net") != expected) stop("the session's network was not entered");
  close(user);
  close(net);
  execv(words[3], words + 3);
  stop("%s: %s", words[3], strerror(errno));
}

/* ---- hold ---- */

#define SLOTS 256
#define CHUNK 16384
#define EVENTS 64
#define LISTENER (SLOTS * 2)
#define INPUT (SLOTS * 2 + 1)
/* One side has said its last word and nothing moved for so long: its other half may never come. */
#define HALF_CLOSED_SECONDS 120
#define LOOK_AGAIN_MS 5000

/* What goes from one side to the other. */
struct flow {
  char data[CHUNK];
  size_t from, to;
  bool ended; /* nothing more comes */
  bool shut;  /* and the other side was told */
};

/* Side 0 is the command's, side 1 the socket's. flow[s] holds what was read from side s. */
struct pair {
  int fd[2];
  uint32_t watched[2];
  struct flow flow[2];
  time_t moved;
  bool used;
};

static struct pair pairs[SLOTS];
static unsigned most_pairs = SLOTS, open_pairs;
static int events_fd, listener = -1;
static bool listening;
static struct sockaddr_un target = {.sun_family = AF_UNIX};

static time_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

static void watch(int fd, uint32_t name, uint32_t before, uint32_t wanted) {
  struct epoll_event event = {.events = wanted, .data.u32 = name};
  int act = wanted == 0 ? EPOLL_CTL_DEL : before == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (before != wanted && epoll_ctl(events_fd, act, fd, &event) != 0) stop("epoll: %s", strerror(errno));
}

static void listen_if(bool wanted) {
  if (listener < 0 || listening == wanted) return;
  watch(listener, LISTENER, listening ? EPOLLIN : 0, wanted ? EPOLLIN : 0);
  listening = wanted;
}

static void drop(struct pair *pair) {
  for (int side = 0; side < 2; side++) close(pair->fd[side]);
  pair->used = false;
  open_pairs--;
  listen_if(true);
}

/* A side is watched only for what can be done: one that has hung up and is not wanted would be reported for ever. */
static void want(struct pair *pair) {
  for (int side = 0; side < 2; side++) {
    struct flow *out = &pair->flow[side], *in = &pair->flow[1 - side];
    uint32_t wanted = (!out->ended && out->to < CHUNK ? EPOLLIN : 0) | (in->from < in->to ? EPOLLOUT : 0);
    watch(pair->fd[side], (uint32_t)(pair - pairs) * 2 + (uint32_t)side, pair->watched[side], wanted);
    pair->watched[side] = wanted;
  }
}

static bool is_for_later(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/* One read and one write for each direction: nobody gets the loop to himself. False when the connection is over. */
static bool move(struct pair *pair, int side) {
  struct flow *flow = &pair->flow[side];
  if (!flow->ended && flow->to < CHUNK) {
    ssize_t count = read(pair->fd[side], flow->data + flow->to, CHUNK - flow->to);
    if (count < 0 && !is_for_later()) return false;
    if (count == 0) flow->ended = true;
    if (count > 0) flow->to += (size_t)count;
  }
  if (flow->from < flow->to) {
    ssize_t count = send(pair->fd[1 - side], flow->data + flow->from, flow->to - flow->from, MSG_NOSIGNAL);
    if (count < 0 && !is_for_later()) return false;
    if (count > 0) flow->from += (size_t)count;
  }
  if (flow->from == flow->to) flow->from = flow->to = 0;
  if (flow->ended && flow->to == 0 && !flow->shut) {
    shutdown(pair->fd[1 - side], SHUT_WR);
    flow->shut = true;
  }
  return true;
}

static void serve(struct pair *pair) {
  pair->moved = now();
  if (!move(pair, 0) || !move(pair, 1) || (pair->flow[0].shut && pair->flow[1].shut)) drop(pair);
  else want(pair);
}

static struct pair *free_pair(void) {
  for (unsigned slot = 0; slot < most_pairs; slot++)
    if (!pairs[slot].used) return &pairs[slot];
  return NULL;
}

static void take(void) {
  struct pair *pair = free_pair();
  if (pair == NULL) return listen_if(false);
  int near = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (near < 0) {
    /* Without descriptors or memory it would be told again at once; the next look comes with the clock. */
    if (!is_for_later() && errno != ECONNABORTED) listen_if(false);
    return;
  }
  int far = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (far < 0 || connect(far, (struct sockaddr *)&target, sizeof target) != 0) {
    if (far >= 0) close(far);
    close(near);
    return;
  }
  pair->used = true;
  open_pairs++;
  pair->fd[0] = near;
  pair->fd[1] = far;
  pair->moved = now();
  for (int side = 0; side < 2; side++) {
    pair->watched[side] = 0;
    pair->flow[side].from = pair->flow[side].to = 0;
    pair->flow[side].ended = pair->flow[side].shut = false;
  }
  want(pair);
}

static bool look_for_stale(void) {
  bool some = false;
  for (unsigned slot = 0; slot < most_pairs; slot++) {
    struct pair *pair = &pairs[slot];
    if (!pair->used || (!pair->flow[0].ended && !pair->flow[1].ended)) continue;
    if (now() - pair->moved >= HALF_CLOSED_SECONDS) drop(pair);
    else some = true;
  }
  return some;
}

static void open_listener(unsigned long port, const char *path) {
  if (strlen(path) >= sizeof target.sun_path) stop("the path of the socket is too long");
  strcpy(target.sun_path, path);
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    if (files.rlim_cur < SLOTS * 2 + 16) files.rlim_cur = files.rlim_max < SLOTS * 2 + 16 ? files.rlim_max : SLOTS * 2 + 16;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < SLOTS * 2 + 16) most_pairs = files.rlim_cur > 18 ? (unsigned)(files.rlim_cur - 16) / 2 : 1;
  }
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 128) != 0)
    stop("127.0.0.1:%lu: %s", port, strerror(errno));
  listen_if(true);
}

/* What is written to us means nothing; the end of it is the end of whoever started us. */
static void hear(void) {
  char ignored[64];
  ssize_t count = read(0, ignored, sizeof ignored);
  if (count == 0 || (count < 0 && !is_for_later())) exit(0);
}

static void hold(int count, char **words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  events_fd = epoll_create1(EPOLL_CLOEXEC);
  if (events_fd < 0) stop("epoll: %s", strerror(errno));
  watch(0, INPUT, 0, EPOLLIN);
  if (count == 2) open_listener(number(words[0], 65535), words[1]);
  if (write(1, "ready\n", 6) != 6) stop("nobody listens");
  close(1);
  for (;;) {
    struct epoll_event events[EVENTS];
    int wait = look_for_stale() || (listener >= 0 && !listening && open_pairs < most_pairs) ? LOOK_AGAIN_MS : -1;
    int found = epoll_wait(events_fd, events, EVENTS, wait);
    if (found < 0 && errno != EINTR) stop("epoll: %s", strerror(errno));
    if (found <= 0) listen_if(true);
    for (int n = 0; n < found; n++) {
      uint32_t name = events[n].data.u32;
      if (name == INPUT) hear();
      else if (name == LISTENER) take();
      /* An event of this round may have closed it already. */
      else if (pairs[name / 2].used) serve(&pairs[name / 2]);
    }
  }
}

int main(int count, char **words) {
  if (count >= 6 && strcmp(words[1], "join") == 0) join(words + 2);
  if ((count == 2 || count == 4) && strcmp(words[1], "hold") == 0) hold(count - 2, words + 2);
  fputs("usage: zeph-net hold [PORT SOCKET] | join PID USER NET PROGRAM [ARGUMENT...]\n", stderr);
  return REFUSED;
}
