// floor: what the machine allows. One thread, level-triggered epoll, no parsing to speak of.
//
//   floor SOCKET REPLY_BYTES EVENT_BYTES [EVENTS]
//
// A frame is a 4-byte little-endian length and that many bytes of JSON, in which only what stands at a fixed place is
// looked at:
//
//   request   {"op":"E","id":00000001,"pad":"..."}    E echo, S subscribe, T trigger an event, R replay
//   reply     {"ok":1,"id":00000001,"pad":"..."}      REPLY_BYTES long with its header
//   event     {"ev":"user","seq":00000001,"pad":"..."}  EVENT_BYTES long; to each subscriber, before the reply
//
// Replay sends, behind the reply, the EVENTS that were before: numbered from 1, and one behind the other in memory.
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECTIONS = 1 << 18, BUFFER = 65536, EVENTS = 256, LONGEST = 8192 };
enum { HEADER = 4, OPERATION_AT = HEADER + 7, REQUEST_ID_AT = HEADER + 15, REPLY_ID_AT = HEADER + 13, SEQUENCE_AT = HEADER + 19 };

// What a connection keeps between events: nothing but the rare leftovers.
struct connection {
    size_t replay_at;               // in `history`, counted from 1; 0 for none
    uint8_t *in, *out;              // an unfinished frame; bytes that the kernel would not take
    uint32_t in_count, out_count;
    uint32_t place;                 // in `subscribers`, counted from 1; 0 for none
};
static struct connection connections[CONNECTIONS];
static int subscribers[CONNECTIONS];
static uint32_t subscriber_count, sequence, reply_size, event_size;
static int epoll;
static uint8_t *history;
static size_t history_size;
static uint8_t input[BUFFER], reply[LONGEST], event[LONGEST];

static void die(const char *what) { perror(what); exit(1); }

static void make_frame(uint8_t *out, uint32_t size, const char *head) {
    memset(out, 'x', size);
    uint32_t length = size - HEADER;
    memcpy(out, &length, HEADER);
    memcpy(out + HEADER, head, strlen(head));
    memcpy(out + size - 2, "\"}", 2);
}

static void put_digits(uint8_t *to, uint32_t value) {
    for (int i = 7; i >= 0; i--, value /= 10) to[i] = (uint8_t)('0' + value % 10);
}

static void watch(int operation, int fd, uint32_t events) {
    struct epoll_event wanted = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll, operation, fd, &wanted)) die("epoll_ctl");
}

static void drop(int fd) {
    struct connection *c = &connections[fd];
    if (c->place) {
        int last = subscribers[--subscriber_count];
        subscribers[c->place - 1] = last;
        connections[last].place = c->place;
    }
    free(c->in);
    free(c->out);
    *c = (struct connection){0};
    close(fd);
}

static void keep(int fd, const uint8_t *bytes, uint32_t count) {
    struct connection *c = &connections[fd];
    if (!c->out_count) watch(EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLOUT);
    c->out = realloc(c->out, c->out_count + count);
    memcpy(c->out + c->out_count, bytes, count);
    c->out_count += count;
}

static void emit(int fd, const uint8_t *bytes, uint32_t count) {
    if (connections[fd].out_count) { keep(fd, bytes, count); return; }
    ssize_t sent = send(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == (ssize_t)count) return;
    if (sent < 0 && errno != EAGAIN) return;      // a dead peer shows as EPOLLHUP later
    if (sent < 0) sent = 0;
    keep(fd, bytes + sent, count - (uint32_t)sent);
}

// What the socket takes; its place in the history is all that a connection keeps of the rest.
static void replay(int fd, bool waits) {
    struct connection *c = &connections[fd];
    size_t at = c->replay_at - 1;
    ssize_t sent = send(fd, history + at, history_size - at, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return;
    if (sent > 0) c->replay_at += (size_t)sent;
    bool is_over = c->replay_at > history_size;
    if (is_over) c->replay_at = 0;
    if (is_over == waits) watch(EPOLL_CTL_MOD, fd, is_over ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

static void drain(int fd) {
    struct connection *c = &connections[fd];
    if (!c->out_count) { if (c->replay_at) replay(fd, true); return; }
    ssize_t sent = send(fd, c->out, c->out_count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) return;
    c->out_count -= (uint32_t)sent;
    memmove(c->out, c->out + sent, c->out_count);
    if (!c->out_count) { free(c->out); c->out = NULL; watch(EPOLL_CTL_MOD, fd, EPOLLIN); }
}

static void handle(int fd, const uint8_t *frame) {
    switch (frame[OPERATION_AT]) {
    case 'S':
        if (!connections[fd].place) { subscribers[subscriber_count++] = fd; connections[fd].place = subscriber_count; }
        break;
    case 'T':
        put_digits(event + SEQUENCE_AT, ++sequence);
        for (uint32_t i = 0; i < subscriber_count; i++) emit(subscribers[i], event, event_size);
        break;
    }
    memcpy(reply + REPLY_ID_AT, frame + REQUEST_ID_AT, 8);
    emit(fd, reply, reply_size);
    if (frame[OPERATION_AT] == 'R' && history_size) { connections[fd].replay_at = 1; replay(fd, false); }
}

// Handles every whole frame; how many bytes they took.
static uint32_t handle_frames(int fd, const uint8_t *bytes, uint32_t count) {
    uint32_t at = 0;
    while (count - at >= HEADER) {
        uint32_t length;
        memcpy(&length, bytes + at, HEADER);
        if (length > BUFFER / 2) return count;
        if (count - at < length + HEADER) break;
        handle(fd, bytes + at);
        at += length + HEADER;
    }
    return at;
}

static void receive(int fd) {
    struct connection *c = &connections[fd];
    uint32_t had = c->in_count;
    if (had) memcpy(input, c->in, had);
    ssize_t received = recv(fd, input + had, BUFFER - had, MSG_DONTWAIT);
    if (received <= 0) {
        if (received < 0 && errno == EAGAIN) return;
        drop(fd);
        return;
    }
    uint32_t count = had + (uint32_t)received, used = handle_frames(fd, input, count), left = count - used;
    if (left == 0 && had == 0) return;
    c->in_count = left;
    if (!left) { free(c->in); c->in = NULL; return; }
    c->in = realloc(c->in, left);
    memcpy(c->in, input + used, left);
}

static void accept_all(int listener) {
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (fd >= CONNECTIONS) close(fd); else watch(EPOLL_CTL_ADD, fd, EPOLLIN);
    }
}

static uint32_t size_of(const char *text) {
    uint32_t size = (uint32_t)strtoul(text, NULL, 10);
    return size < 64 ? 64 : size > LONGEST ? LONGEST : size;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) { fprintf(stderr, "usage: floor SOCKET REPLY_BYTES EVENT_BYTES [EVENTS]\n"); return 64; }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    make_frame(reply, reply_size = size_of(argv[2]), "{\"ok\":1,\"id\":00000000,\"pad\":\"");
    make_frame(event, event_size = size_of(argv[3]), "{\"ev\":\"user\",\"seq\":00000000,\"pad\":\"");
    uint32_t events = argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
    history_size = (size_t)events * event_size;
    if (events && !(history = malloc(history_size))) die("malloc");
    for (uint32_t i = 0; i < events; i++) {
        put_digits(event + SEQUENCE_AT, i + 1);
        memcpy(history + (size_t)i * event_size, event, event_size);
    }

    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) die(argv[1]);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(EPOLL_CTL_ADD, listener, EPOLLIN);

    struct epoll_event ready[EVENTS];
    for (;;) {
        int count = epoll_wait(epoll, ready, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int fd = ready[i].data.fd;
            if (fd == listener) { accept_all(fd); continue; }
            if (ready[i].events & EPOLLOUT) drain(fd);
            if (ready[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(fd);
        }
    }
}
