/* What the programs in zeph-run have in common. */
#ifndef ZEPH_RUN_H
#define ZEPH_RUN_H

#include <stdbool.h>
#include <sys/types.h>

/* How they end when it is not the program that ended: nothing was started, a folder is another one, there is no such program. */
#define REFUSED 125
#define CHANGED 126
#define NOT_FOUND 127

/* The low descriptors are the program's: nothing of ours may lie where a feed or an output will go. */
#define LOW 16

void stop(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Digits and nothing else, up to the end or to a colon, which is passed over. */
unsigned long number(const char **text, unsigned long most);

/* What comes after this beginning; NULL when the word begins in another way. */
const char *after(const char *word, const char *beginning);

void become(char **words) __attribute__((noreturn));

/* `NAME:VALUE`, for this process and what it starts. */
void set_limit(const char *word);

/* Nothing is started, because what lies at the path is not what was judged. */
void refuse_changed(const char *path) __attribute__((noreturn));

/* The descriptor on which a change is reported. */
void report_to(int fd);

/* Compares all mounts with the list on that descriptor, and ends this process where they differ. */
void compare_mounts(int fd);

/* Opens a path below the root without following a link; -1 and errno where that cannot be. */
int open_place(int root, const char *path);

/* In place of a device: the inode number is that of the file below, which an overlay shows. */
#define LAYERED 0

struct identity {
  bool is_known;
  unsigned long device, inode;
};

/* What was judged to lie somewhere, and in which folder, where that is known. */
struct judged {
  struct identity place, folder;
};

/* The same, where it is what was judged; ESTALE where it is not. */
int open_judged(int root, const char *path, struct judged wanted);

/* The bytes of a descriptor, to its end; then it is closed. */
char *read_all(int fd, unsigned long most, unsigned long *length);

void build(char **words) __attribute__((noreturn));

void watch(char **words) __attribute__((noreturn));

void serve(void) __attribute__((noreturn));

/* The same descriptor above those that a program is given, and not for programs. */
int raised(int fd);

/* The same, and -1 where there is no room for it. */
int try_to_raise(int fd);

/* Every child of this process, but those to keep. */
void kill_children(bool is_kept(pid_t pid));

/* The program will find these bytes at that descriptor of its own. */
void feed(int to, char *text, unsigned long length);

/* Starts the program and ends everything it started, when it has ended or when the other end of the lifeline is closed. */
void guard(int lifeline, const char *cgroup, char **words) __attribute__((noreturn));

#endif
