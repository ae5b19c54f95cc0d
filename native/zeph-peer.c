/*
 * Tells who is at the other end of a Unix socket, which is the descriptor 3. Node has no call for that.
 *
 *   zeph-peer        prints `PID UID GID STARTED EXACT` and ends with 0; with 1 where the system does not tell
 *
 * The PID is that of the process that connected, by the PID namespace of this one. STARTED is when it started, in clock ticks since the machine did:
 * of two processes that had the same number one after the other it is another one. EXACT is 1 where the kernel (6.5 and later) shows that the number
 * is still that of the process which connected, and 0 where it may have been given to another one since.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

enum { PEER = 3, UNKNOWN = 1 };

/* The 22nd word of the line, counted from behind the name: that is in brackets and may hold anything. */
static int find_start(pid_t pid, unsigned long long *started) {
  char path[64], text[2048];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (length <= 0) return -1;
  text[length] = 0;
  char *end = strrchr(text, ')');
  return end && sscanf(end + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", started) == 1 ? 0 : -1;
}

/* 1 where the process still runs, 0 where the kernel cannot tell, -1 where it has ended. */
static int is_alive(void) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(PEER, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) != 0) return errno == ENOPROTOOPT ? 0 : -1;
  struct pollfd look = {.fd = pidfd, .events = POLLIN};
  int ended = poll(&look, 1, 0);
  close(pidfd);
  return ended == 0 ? 1 : -1;
}

int main(void) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  unsigned long long started;
  if (getsockopt(PEER, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return UNKNOWN;
  if (find_start(peer.pid, &started) != 0) return UNKNOWN;
  /* Afterwards: then what was read is about the process that connected. */
  int exact = is_alive();
  if (exact < 0) return UNKNOWN;
  printf("%ld %lu %lu %llu %d\n", (long)peer.pid, (unsigned long)peer.uid, (unsigned long)peer.gid, started, exact);
  return 0;
}
