/* How zeph-run finds a place: without following a link, and compared with what was judged. */
#define _GNU_SOURCE
#include "zeph-run.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* Name by name, behind a filter that forbids openat2. */
static int open_names(int root, const char *path) {
  int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  while (at >= 0 && *path) {
    char name[NAME_MAX + 1];
    size_t length = strcspn(path, "/");
    struct stat found;
    if (length > NAME_MAX) return close(at), errno = ENAMETOOLONG, -1;
    memcpy(name, path, length);
    name[length] = 0;
    path += length + strspn(path + length, "/");
    if (strcmp(name, "..") == 0) return close(at), errno = EXDEV, -1;
    int next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), why = errno;
    close(at);
    errno = why;
    at = next;
    if (at >= 0 && fstat(at, &found) == 0 && S_ISLNK(found.st_mode)) return close(at), errno = ELOOP, -1;
  }
  return at;
}

int open_place(int root, const char *path) {
  struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  while (*path == '/') path++;
  int fd = (int)syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof how);
  return fd < 0 && errno == ENOSYS ? open_names(root, path) : fd;
}

/*
 * The inode number of a file that an overlay shows and that was not changed in it: that of the file below. Where the two folders of the overlay lie
 * on different file systems the kernel adds the number of the file system, which is 1 for the lower one, above the bits that inodes use (`xino`).
 */
static bool is_layered(int fd, unsigned long seen, unsigned long inode) {
  struct statfs on;
  if (fstatfs(fd, &on) != 0 || on.f_type != OVERLAYFS_SUPER_MAGIC) return false;
  return seen == inode || seen == (inode | 1ul << 63) || (inode >> 32 == 0 && seen == (inode | 1ul << 33));
}

static bool has_identity(int fd, struct identity wanted) {
  struct stat found;
  if (fstat(fd, &found) != 0 || S_ISLNK(found.st_mode)) return false;
  if (!wanted.is_known) return true;
  if (wanted.device == LAYERED) return is_layered(fd, found.st_ino, wanted.inode);
  return found.st_dev == (dev_t)wanted.device && found.st_ino == (ino_t)wanted.inode;
}

static int open_compared(int root, const char *path, struct identity wanted) {
  int fd = open_place(root, path);
  if (fd < 0 || has_identity(fd, wanted)) return fd;
  close(fd);
  errno = ESTALE;
  return -1;
}

int open_judged(int root, const char *path, struct judged wanted) {
  const char *last = strrchr(path, '/');
  if (!wanted.folder.is_known || last == NULL) return open_compared(root, path, wanted.place);
  char *above = strndup(path, (size_t)(last - path));
  if (above == NULL) stop("no memory");
  int folder = open_compared(root, above, wanted.folder), why = errno;
  free(above);
  errno = why;
  if (folder < 0) return -1;
  int fd = open_compared(folder, last + 1, wanted.place);
  why = errno;
  close(folder);
  errno = why;
  return fd;
}
