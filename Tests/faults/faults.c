/* faults.c: fault points in a program that knows nothing of them, by LD_PRELOAD.
 *
 * A point is a call that changes a file below one directory, or sends to a client, a browser, a login host or the
 * service manager. Its name, such as "pwrite sessions.sqlite-wal #3", is the call, what it is about, and how many of
 * these there were since the library was armed. A test and the library share a file, which SCENED_FAULTS names (struct
 * control, see Tests/acceptance/faults.py): the test says where what shall happen, the library writes down the points.
 *
 * Calls are made by the C library's syscall(2), so that nothing of what this stands in for is needed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAME = 96, POINTS = 1024 };
enum mode { NOTHING, KILL_BEFORE, KILL_AFTER, KILL_TORN, FAIL_ONCE, FAIL_FROM, SHORT };

struct control {
    _Atomic int32_t armed;
    int32_t mode;           /* enum mode */
    int32_t error;          /* errno of FAIL_ONCE and FAIL_FROM */
    _Atomic int32_t hit;    /* the point was reached */
    _Atomic int32_t count;  /* of names */
    int32_t login_host;     /* its port */
    char directory[256];    /* whose files count, without links */
    char point[NAME];       /* where it happens */
    char names[POINTS][NAME];
};

static struct control *control;
static long (*real)(long, ...);

static long (*found(void))(long, ...) {
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real;
}

#define raw(...) found()(__VA_ARGS__)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void attach(void) {
    const char *path = getenv("SCENED_FAULTS");
    long file = path ? raw(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
    raw(SYS_close, file);
    if (memory != MAP_FAILED) control = memory;
}

static int is_armed(void) { return control && atomic_load(&control->armed); }

/* What is to become of one call. */
struct fate {
    int error;   /* fails with this, if it is not 0 */
    int partly;  /* half of the bytes only */
    int dies;    /* and that was the process's last */
};

static void die(void) {
    for (;;) raw(SYS_kill, getpid(), SIGKILL);
}

/* The call has come to its point: writes the name down, and says what happens there. */
static struct fate reach(const char *call, const char *target) {
    struct fate fate = {0};
    if (!target) return fate;
    char name[NAME];
    int length = snprintf(name, sizeof name, "%s %s #", call, target), number = 1, saved = errno;
    pthread_mutex_lock(&lock);
    int count = atomic_load(&control->count);
    for (int i = 0; i < count; i++) number += !strncmp(control->names[i], name, (size_t)length);
    snprintf(name + length, sizeof name - (size_t)length, "%d", number);
    if (count < POINTS) {
        memcpy(control->names[count], name, sizeof name);
        atomic_store(&control->count, count + 1);
    }
    int here = !strcmp(name, control->point), is_file = strncmp(call, "send", 4) != 0;
    if (here) atomic_store(&control->hit, 1);
    switch (control->mode) {
    case KILL_BEFORE:
        if (here) die();
        break;
    case KILL_AFTER:
        fate.dies = here;
        break;
    case KILL_TORN:
        fate.dies = fate.partly = here;
        break;
    case FAIL_ONCE:
        if (here) fate.error = control->error;
        break;
    case FAIL_FROM:
        if (atomic_load(&control->hit) && is_file) fate.error = control->error;
        break;
    case SHORT:
        fate.partly = here;
        break;
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return fate;
}

/* Makes the call, or what its fate leaves of it. `half` is the call with half of its bytes. */
#define MAKE(call, target, whole, half)            \
    do {                                           \
        if (!is_armed()) return whole;             \
        char named[NAME] = "";                     \
        (void)named;                               \
        struct fate fate = reach(call, target);    \
        if (fate.error) {                          \
            errno = fate.error;                    \
            return -1;                             \
        }                                          \
        __typeof__(whole) made = fate.partly ? half : whole; \
        if (fate.dies) die();                      \
        return made;                               \
    } while (0)

/* The name of a path below the directory; NULL for others. */
static const char *inside(const char *path) {
    size_t length = strlen(control->directory);
    if (strncmp(path, control->directory, length)) return NULL;
    return path[length] == '/' ? path + length + 1 : path[length] ? NULL : ".";
}

static const char *file(int descriptor, char *name) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = raw(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    const char *rest = inside(path);
    if (rest) snprintf(name, NAME / 2, "%s", rest);
    return rest ? name : NULL;
}

/* Whom a socket sends to; NULL for what does not count. */
static const char *peer(int descriptor) {
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_in internet;
    } own = {0}, other = {0};
    socklen_t own_length = sizeof own, other_length = sizeof other;
    if (getsockname(descriptor, &own.any, &own_length)) return NULL;
    int connected = !getpeername(descriptor, &other.any, &other_length);
    if (own.any.sa_family == AF_INET)
        return !connected ? NULL : ntohs(other.internet.sin_port) == control->login_host ? "login-host" : "browser";
    if (own.any.sa_family != AF_UNIX) return NULL;
    /* Only the side that has accepted has a name. */
    return own_length > sizeof(sa_family_t) && own.local.sun_path[0] ? "client" : NULL;
}

/* What the service manager is told is named by its first word (sd_notify(3)). */
static const char *addressed(int descriptor, const struct sockaddr *to, const char *bytes, size_t count, char *name) {
    const char *path = to && to->sa_family == AF_UNIX ? ((const struct sockaddr_un *)to)->sun_path : "";
    const char *notify = getenv("NOTIFY_SOCKET");
    if (!notify || strcmp(path, notify)) return peer(descriptor);
    int word = 0;
    while (word < 20 && (size_t)word < count && bytes[word] != '=') word++;
    snprintf(name, NAME / 2, "service-manager %.*s", word, bytes);
    return name;
}

static const char *written(int descriptor, char *name) {
    return file(descriptor, name) ? name : peer(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    MAKE("write", written(descriptor, named), raw(SYS_write, descriptor, bytes, count),
         raw(SYS_write, descriptor, bytes, count / 2));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    MAKE("pwrite", file(descriptor, named), raw(SYS_pwrite64, descriptor, bytes, count, offset),
         raw(SYS_pwrite64, descriptor, bytes, count / 2, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    MAKE("writev", written(descriptor, named), raw(SYS_writev, descriptor, parts, count),
         raw(SYS_write, descriptor, parts[0].iov_base, parts[0].iov_len / 2));
}

int ftruncate(int descriptor, off_t length) {
    MAKE("ftruncate", file(descriptor, named), (int)raw(SYS_ftruncate, descriptor, length), -1);
}

int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

int fallocate(int descriptor, int how, off_t offset, off_t length) {
    MAKE("fallocate", file(descriptor, named), (int)raw(SYS_fallocate, descriptor, how, offset, length), -1);
}

int fallocate64(int descriptor, int how, off64_t offset, off64_t length) {
    return fallocate(descriptor, how, offset, length);
}

int fsync(int descriptor) {
    MAKE("fsync", file(descriptor, named), (int)raw(SYS_fsync, descriptor), -1);
}

int fdatasync(int descriptor) {
    MAKE("fdatasync", file(descriptor, named), (int)raw(SYS_fdatasync, descriptor), -1);
}

int fchmod(int descriptor, mode_t mode) {
    MAKE("fchmod", file(descriptor, named), (int)raw(SYS_fchmod, descriptor, mode), -1);
}

int unlink(const char *path) {
    MAKE("unlink", inside(path), (int)raw(SYS_unlinkat, AT_FDCWD, path, 0), -1);
}

int rename(const char *from, const char *to) {
    MAKE("rename", inside(from), (int)raw(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), -1);
}

int mkdir(const char *path, mode_t mode) {
    MAKE("mkdir", inside(path), (int)raw(SYS_mkdirat, AT_FDCWD, path, mode), -1);
}

/* Only where it makes a file. */
static int opened(const char *path, int flags, mode_t mode) {
    if (!(flags & O_CREAT) || !raw(SYS_faccessat, AT_FDCWD, path, F_OK))
        return (int)raw(SYS_openat, AT_FDCWD, path, flags, mode);
    MAKE("create", inside(path), (int)raw(SYS_openat, AT_FDCWD, path, flags, mode), -1);
}

#define OPEN(name)                                         \
    int name(const char *path, int flags, ...) {           \
        va_list arguments;                                 \
        va_start(arguments, flags);                        \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                 \
        return opened(path, flags, mode);                  \
    }
OPEN(open)
OPEN(open64)

ssize_t sendto(int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length) {
    MAKE("send", addressed(descriptor, to, bytes, count, named), raw(SYS_sendto, descriptor, bytes, count, flags, to, length),
         raw(SYS_sendto, descriptor, bytes, count / 2, flags, to, length));
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    return sendto(descriptor, bytes, count, flags, NULL, 0);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    MAKE("send", addressed(descriptor, message->msg_name, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len, named), raw(SYS_sendmsg, descriptor, message, flags),
         raw(SYS_sendto, descriptor, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len / 2, flags,
                 message->msg_name, message->msg_namelen));
}

/* The daemon sends to its clients this way. */
long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_sendto)
        return sendto((int)a[0], (const void *)a[1], (size_t)a[2], (int)a[3], (const struct sockaddr *)a[4],
                      (socklen_t)a[5]);
    return raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
