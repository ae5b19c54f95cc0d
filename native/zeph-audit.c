/*
 * What bubblewrap mounted, compared with what was judged. bubblewrap looks up names, and another process can rename something while it does. So all
 * mounts are compared before the command: a mount at a place that is not in the list, one too many, or another file at a judged place, and nothing is
 * started. The list has records that end with a zero byte:
 *
 *   ANY PATH                        one mount may be at this path
 *   ONE PATH                        one mount must be at this path
 *   BELOW PATH                      any mounts of the kernel's own file systems may be below it
 *   WRITABLE DEVICE:INODE PATH      this file is mounted there
 *   READONLY DEVICE:INODE PATH      the same, and it cannot be written
 *   FOLDER DEVICE:INODE PATH        this folder lies there, whatever shows it
 *
 * Behind the identity of a file, that of its folder can follow: DEVICE:INODE:DEVICE:INODE.
 */
#define _GNU_SOURCE
#include "zeph-run.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MOST_BYTES (8ul << 20)

struct mount {
  unsigned long id;
  const char *path;
  const char *type;
  bool is_expected;
};

static struct mount *mounts;
static unsigned mount_count;

/* A space, a tab, a newline and a backslash are written as three octal digits. */
static void unescape(char *text) {
  char *to = text;
  for (char *from = text; *from;) {
    if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
      *to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 4;
    } else *to++ = *from++;
  }
  *to = 0;
}

/* Columns: id, parent, device, root, path, options, optional fields, a hyphen, type, source, options. */
static void read_mounts(void) {
  unsigned long length;
  int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (fd < 0) stop("mountinfo: %s", strerror(errno));
  char *text = read_all(fd, MOST_BYTES, &length);
  text = realloc(text, length + 1);
  if (text == NULL) stop("no memory");
  text[length] = 0;
  unsigned lines = 0;
  for (char *at = text; *at; at++) lines += *at == '\n';
  mounts = calloc(lines + 1, sizeof *mounts);
  if (mounts == NULL) stop("no memory");
  for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *type = strstr(line, " - "), *column, *columns = line;
    if (type == NULL) stop("mountinfo has another form");
    *type = 0;
    type += 3;
    struct mount *one = mounts + mount_count++;
    for (int n = 0; (column = strsep(&columns, " ")) != NULL; n++) {
      if (n == 0) one->id = strtoul(column, NULL, 10);
      if (n == 4) one->path = column;
    }
    if (one->path == NULL) stop("mountinfo has another form");
    unescape((char *)one->path);
    one->type = strsep(&type, " ");
  }
}

static bool is_kernels_own(const char *type) {
  static const char *const types[] = {"proc", "devtmpfs", "devpts", "tmpfs", "mqueue"};
  for (size_t n = 0; n < sizeof types / sizeof *types; n++)
    if (strcmp(type, types[n]) == 0) return true;
  return false;
}

static struct mount *expect_one(const char *path) {
  for (struct mount *one = mounts; one < mounts + mount_count; one++)
    if (!one->is_expected && strcmp(one->path, path) == 0) {
      one->is_expected = true;
      return one;
    }
  return NULL;
}

static void expect_below(const char *folder) {
  size_t length = strlen(folder);
  for (struct mount *one = mounts; one < mounts + mount_count; one++)
    if (strncmp(one->path, folder, length) == 0 && (one->path[length] == '/' || one->path[length] == 0) && is_kernels_own(one->type)) one->is_expected = true;
}

static unsigned long mount_id_of(int fd) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  int info = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = info < 0 ? -1 : read(info, text, sizeof text - 1);
  if (info >= 0) close(info);
  if (count <= 0) stop("fdinfo: %s", strerror(errno));
  text[count] = 0;
  char *id = strstr(text, "mnt_id:");
  if (id == NULL) stop("fdinfo has another form");
  return strtoul(id + 7, NULL, 10);
}

static struct identity read_identity(const char **text) {
  struct identity found = {.is_known = true};
  found.device = number(text, ~0UL);
  found.inode = number(text, ~0UL);
  return found;
}

/* What follows the identities in the record is its path. */
static int open_recorded(int root, const char **record) {
  char identities[96];
  size_t length = strcspn(*record, " ");
  if (length >= sizeof identities || (*record)[length] == 0) stop("not an identity: %.40s", *record);
  memcpy(identities, *record, length);
  identities[length] = 0;
  const char *rest = identities;
  struct judged wanted = {.place = read_identity(&rest)};
  if (*rest) wanted.folder = read_identity(&rest);
  if (*rest) stop("not an identity: %.40s", *record);
  *record += length + 1;
  int fd = open_judged(root, *record, wanted);
  if (fd < 0) refuse_changed(*record);
  return fd;
}

static void compare_record(int root, const char *record) {
  const char *rest;
  if ((rest = after(record, "ANY "))) {
    expect_one(rest);
    return;
  }
  if ((rest = after(record, "ONE "))) {
    if (expect_one(rest) == NULL) refuse_changed(rest);
    return;
  }
  if ((rest = after(record, "BELOW "))) return expect_below(rest);
  if ((rest = after(record, "FOLDER "))) {
    close(open_recorded(root, &rest));
    return;
  }
  bool is_closed = (rest = after(record, "READONLY ")) != NULL;
  if (!is_closed && (rest = after(record, "WRITABLE ")) == NULL) stop("no such record: %.40s", record);
  int fd = open_recorded(root, &rest);
  unsigned long id = mount_id_of(fd);
  struct mount *shown = NULL;
  for (struct mount *one = mounts; one < mounts + mount_count; one++)
    if (one->id == id && strcmp(one->path, rest) == 0) shown = one;
  struct statvfs how;
  if (shown == NULL || (is_closed && (fstatvfs(fd, &how) != 0 || !(how.f_flag & ST_RDONLY)))) refuse_changed(rest);
  shown->is_expected = true;
  close(fd);
}

void compare_mounts(int fd) {
  unsigned long length;
  char *list = read_all(fd, MOST_BYTES, &length);
  if (length == 0 || list[length - 1] != 0) stop("half a list of mounts");
  int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) stop("/: %s", strerror(errno));
  read_mounts();
  for (unsigned long at = 0; at < length; at += strlen(list + at) + 1) compare_record(root, list + at);
  for (struct mount *one = mounts; one < mounts + mount_count; one++)
    if (!one->is_expected) refuse_changed(one->path);
  close(root);
  free(list);
}
