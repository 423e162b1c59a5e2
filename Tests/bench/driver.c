// What the load driver's measurements share: clocks, messages, connections.
#include "driver.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

const char *socket_path;
pid_t server, server_part;
uint64_t sequence;

void die(const char *what) { perror(what); exit(1); }
void *need(void *memory) { if (!memory) die("malloc"); return memory; }
void pause_ms(int milliseconds) { poll(NULL, 0, milliseconds); }

// ---- clocks and memory, in nanoseconds and bytes

static uint64_t read_clock(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
uint64_t now(void) { return read_clock(CLOCK_MONOTONIC); }

static uint64_t cpu_of(pid_t process) {
    clockid_t clock;
    return process && !clock_getcpuclockid(process, &clock) ? read_clock(clock) : 0;
}
uint64_t server_cpu(void) { return cpu_of(server) + cpu_of(server_part); }

int64_t server_memory(void) {
    char path[64], line[256];
    long kibibytes = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", server);
    FILE *file = server ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Anonymous: %ld", &kibibytes);
    if (file) fclose(file);
    return (int64_t)kibibytes * 1024;
}

// ---- messages

struct message read_message(const char *path) {
    struct message m = {need(malloc(LONGEST)), 0, -1, -1, -1};
    FILE *file = fopen(path, "r");
    if (!file) die(path);
    m.count = fread(m.text, 1, LONGEST - 32, file);
    fclose(file);
    char *digits = memmem(m.text, m.count, "########", 8), *place = memmem(m.text, m.count, "@SEQ@", 5), *any = memmem(m.text, m.count, "@@@@@", 5);
    if (digits) m.digits_at = digits - m.text;
    if (place) m.sequence_at = place - m.text;
    if (any) m.any_at = any - m.text;
    return m;
}

// The message with its numbers. Valid until the next but seven.
char *render(const struct message *m, uint32_t number, uint64_t round, size_t *count) {
    static char buffers[8][LONGEST];
    static unsigned turn;
    char *out = buffers[turn++ % 8];
    ssize_t digits_at = m->digits_at;
    memcpy(out, m->text, m->count);
    *count = m->count;
    if (m->sequence_at >= 0) {
        char *at = out + m->sequence_at;
        int written = sprintf(at, "%llu", (unsigned long long)(sequence + round));
        size_t rest = m->count - (size_t)m->sequence_at - 5;
        memcpy(at + written, m->text + m->sequence_at + 5, rest);
        *count = (size_t)m->sequence_at + (size_t)written + rest;
        if (digits_at > m->sequence_at) digits_at += written - 5;
    }
    if (digits_at >= 0)
        for (int i = 7; i >= 0; i--, number /= 10) out[digits_at + i] = (char)('0' + number % 10);
    return out;
}

// ---- connections

struct client dial(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) die("socket");
    while (connect(fd, (struct sockaddr *)&address, sizeof address)) if (errno != EINTR) die("connect");
    return (struct client){.fd = fd};
}

void put(struct client *c, const struct message *m, uint32_t number, uint64_t round) {
    size_t count;
    const char *bytes = render(m, number, round, &count);
    c->number = number;
    c->asked = now();
    while (count) {
        ssize_t sent = send(c->fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0) die("send");
        bytes += sent;
        count -= (size_t)sent;
    }
}

void complain(const char *got, size_t got_count, const char *wanted, size_t count, size_t at) {
    fprintf(stderr, "load: the server sent\n%.*s\nand not, from byte %zu,\n%.*s\n", (int)got_count, got, at,
            (int)(count - at), wanted + at);
    exit(1);
}

// Any digits will do there.
static void accept_digits(const struct message *m, char *wanted, size_t at, const char *got, size_t count) {
    for (size_t i = (size_t)m->any_at; i < (size_t)m->any_at + 5; i++)
        if (i >= at && i < at + count && got[i - at] >= '0' && got[i - at] <= '9') wanted[i] = got[i - at];
}

// Receives once. Whether all that was wanted is here, and nothing beyond it.
bool take(struct client *c, const struct message *m, uint64_t round, int flags) {
    static char buffer[LONGEST];
    size_t count;
    ssize_t got = recv(c->fd, buffer, sizeof buffer, flags);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) { fprintf(stderr, "load: the server closed a connection\n"); exit(1); }
    char *wanted = render(m, c->number, round, &count);
    if (m->any_at >= 0) accept_digits(m, wanted, c->at, buffer, (size_t)got);
    if (c->at + (size_t)got > count || memcmp(buffer, wanted + c->at, (size_t)got))
        complain(buffer, (size_t)got, wanted, count, c->at);
    c->at += (size_t)got;
    if (c->at < count) return false;
    c->at = 0;
    return true;
}

void watch(int epoll, struct client *c) {
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &wanted)) die("epoll_ctl");
}
