// load: the clients. Knows every byte that a server is to send, and compares all of them.
//
//   load rtt SOCKET PID CLIENTS SECONDS|COUNTx REQUEST REPLY
//   load fan SOCKET PID CLIENTS ROUNDS SEQUENCE HELLO WELCOME (TRIGGER EVENT REPLY)...
//
// rtt: each client has one request in flight, for a time, or until there were so many in all (`20000x`).
// fan: each client says HELLO and is answered WELCOME. One more connection then sends the triggers by turns, each
// when the one before is done, ROUNDS in all, a multiple of the turns; its EVENT goes to every client, its REPLY to that connection. What a trigger costs
// whoever hears of it (a commit to disk, say) is known from as many rounds with one client, and left out.
//
// Messages are files. In them ######## is an 8-digit number: the request's, the client's, the round's; and @SEQ@ is
// SEQUENCE plus the round, counted from 1. PID is the server, whose CPU time and memory are read (0: nobody's).
// One JSON object comes out. Status 1: a server that sent anything else, or closed.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 1 << 16, BATCH = 256, MOST_ROUNDS = 1024 };

static const char *socket_path;
static pid_t server;
static uint64_t sequence;           // before the first round

static void die(const char *what) { perror(what); exit(1); }
static void *need(void *memory) { if (!memory) die("malloc"); return memory; }

// ---- clocks and memory, in nanoseconds and bytes

static uint64_t read_clock(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static uint64_t now(void) { return read_clock(CLOCK_MONOTONIC); }

// Of all threads of the server.
static uint64_t server_cpu(void) {
    clockid_t clock;
    return server && !clock_getcpuclockid(server, &clock) ? read_clock(clock) : 0;
}

static int64_t server_memory(void) {
    char path[64], line[256];
    long kibibytes = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", server);
    FILE *file = server ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Anonymous: %ld", &kibibytes);
    if (file) fclose(file);
    return (int64_t)kibibytes * 1024;
}

// ---- messages

struct message { char *text; size_t count; ssize_t digits_at, sequence_at; };

static struct message read_message(const char *path) {
    struct message m = {need(malloc(LONGEST)), 0, -1, -1};
    FILE *file = fopen(path, "r");
    if (!file) die(path);
    m.count = fread(m.text, 1, LONGEST - 32, file);
    fclose(file);
    char *digits = memmem(m.text, m.count, "########", 8), *place = memmem(m.text, m.count, "@SEQ@", 5);
    if (digits) m.digits_at = digits - m.text;
    if (place) m.sequence_at = place - m.text;
    return m;
}

// The message with its numbers. Valid until the next but seven.
static const char *render(const struct message *m, uint32_t number, uint64_t round, size_t *count) {
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

// `at`: how much of what it awaits has come.
struct client { int fd; uint32_t number; size_t at; uint64_t asked; };

static struct client dial(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) die("socket");
    while (connect(fd, (struct sockaddr *)&address, sizeof address)) if (errno != EINTR) die("connect");
    return (struct client){.fd = fd};
}

static void put(struct client *c, const struct message *m, uint32_t number, uint64_t round) {
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

static void complain(const char *got, size_t got_count, const char *wanted, size_t count, size_t at) {
    fprintf(stderr, "load: the server sent\n%.*s\nand not, from byte %zu,\n%.*s\n", (int)got_count, got, at,
            (int)(count - at), wanted + at);
    exit(1);
}

// Receives once. Whether all that was wanted is here, and nothing beyond it.
static bool take(struct client *c, const struct message *m, uint64_t round, int flags) {
    static char buffer[LONGEST];
    size_t count;
    ssize_t got = recv(c->fd, buffer, sizeof buffer, flags);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) { fprintf(stderr, "load: the server closed a connection\n"); exit(1); }
    const char *wanted = render(m, c->number, round, &count);
    if (c->at + (size_t)got > count || memcmp(buffer, wanted + c->at, (size_t)got))
        complain(buffer, (size_t)got, wanted, count, c->at);
    c->at += (size_t)got;
    if (c->at < count) return false;
    c->at = 0;
    return true;
}

static void watch(int epoll, struct client *c) {
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &wanted)) die("epoll_ctl");
}

// ---- round trips

static uint32_t samples[1 << 22];
static size_t sample_count;

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

struct window { uint64_t warm, start, end, cpu, seconds; uint32_t total, done; };

// One more round trip is complete; whether that was the last.
static bool counted(struct window *w, const struct client *c) {
    uint64_t t = now(), took = t - c->asked;
    w->done++;
    if (!w->start) {
        if (w->total || t > w->warm) { w->start = t; w->cpu = server_cpu(); sample_count = 0; }
    } else if (w->total ? w->done >= w->total : t - w->start > w->seconds) {
        w->end = t;
        w->cpu = server_cpu() - w->cpu;
    }
    if (sample_count < sizeof samples / sizeof *samples) samples[sample_count++] = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
    return w->end != 0;
}

static int round_trips(int clients, const char *length, const struct message *request, const struct message *reply) {
    struct window w = {.warm = now() + 100000000};
    if (strchr(length, 'x')) w.total = (uint32_t)atoi(length);
    else w.seconds = (uint64_t)(atof(length) * 1e9);
    struct client *all = need(calloc((size_t)clients, sizeof *all));
    uint32_t number = 0;
    bool over = false;
    for (int i = 0; i < clients; i++) all[i] = dial();
    if (clients == 1) {
        while (!over) {
            put(all, request, ++number, 0);
            while (!take(all, reply, 0, 0)) {}
            over = counted(&w, all);
        }
    } else {
        int epoll = epoll_create1(0);
        for (int i = 0; i < clients; i++) { watch(epoll, &all[i]); put(&all[i], request, ++number, 0); }
        struct epoll_event ready[BATCH];
        while (!over) {
            // Without sleeping: a server that is slower than this driver would pay for waking it, a faster one not.
            int count = epoll_wait(epoll, ready, BATCH, 0);
            for (int i = 0; i < count && !over; i++) {
                struct client *c = ready[i].data.ptr;
                if (!take(c, reply, 0, MSG_DONTWAIT)) continue;
                over = counted(&w, c);
                if (!over) put(c, request, ++number, 0);
            }
        }
    }
    qsort(samples, sample_count, sizeof *samples, ascending);
    printf("{\"count\":%zu,\"cpu_us\":%.4f,\"p50_us\":%.2f,\"p99_us\":%.2f}\n", sample_count,
           (double)w.cpu / 1000 / (double)sample_count, samples[sample_count / 2] / 1e3, samples[sample_count * 99 / 100] / 1e3);
    return 0;
}

// ---- one event to all

struct turn { struct message trigger, event, reply; };

static int ascending_double(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}
static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending_double);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void pause_ms(int milliseconds) { poll(NULL, 0, milliseconds); }

struct crowd { int epoll, count; struct client *clients, trigger; uint32_t round; struct turn *turns; int turn_count; };
struct figures { double cpu, took; };   // microseconds

static void join(struct crowd *crowd, int count, const struct message *hello, const struct message *welcome) {
    for (; crowd->count < count; crowd->count++) {
        struct client *c = &crowd->clients[crowd->count];
        *c = dial();
        put(c, hello, (uint32_t)crowd->count, crowd->round);
        while (!take(c, welcome, crowd->round, 0)) {}
        watch(crowd->epoll, c);
    }
    pause_ms(20);
}

// A trigger, until all clients have its event, its own connection the reply, and the server has come to rest.
static struct figures run_round(struct crowd *crowd) {
    struct epoll_event ready[BATCH];
    uint32_t round = ++crowd->round;
    const struct turn *turn = &crowd->turns[(round - 1) % (uint32_t)crowd->turn_count];
    uint64_t cpu = server_cpu(), took = 0;
    int got = 0;
    bool replied = false;
    put(&crowd->trigger, &turn->trigger, round, round);
    while (got < crowd->count || !replied) {
        int count = epoll_wait(crowd->epoll, ready, BATCH, 60000);
        if (count <= 0) { fprintf(stderr, "load: %d of %d events came\n", got, crowd->count); exit(1); }
        for (int i = 0; i < count; i++) {
            struct client *c = ready[i].data.ptr;
            if (c == &crowd->trigger) { replied |= take(c, &turn->reply, round, MSG_DONTWAIT); continue; }
            c->number = round;
            if (take(c, &turn->event, round, MSG_DONTWAIT) && ++got == crowd->count) took = now() - crowd->trigger.asked;
        }
    }
    pause_ms(20);
    return (struct figures){(double)(server_cpu() - cpu) / 1000, (double)took / 1000};
}

static struct figures run_rounds(struct crowd *crowd, int rounds) {
    double cpu[MOST_ROUNDS], took[MOST_ROUNDS];
    for (int i = 0; i < crowd->turn_count; i++) run_round(crowd);   // warms up
    for (int i = 0; i < rounds; i++) {
        struct figures f = run_round(crowd);
        cpu[i] = f.cpu;
        took[i] = f.took;
    }
    return (struct figures){median(cpu, rounds), median(took, rounds)};
}

static int fan_out(int clients, int rounds, const struct message *hello, const struct message *welcome, struct turn *turns, int turn_count) {
    if (rounds < 1 || rounds > MOST_ROUNDS || rounds % turn_count || clients < 2) return 64;
    struct crowd crowd = {.epoll = epoll_create1(0), .clients = need(calloc((size_t)clients, sizeof *crowd.clients)),
                          .trigger = dial(), .turns = turns, .turn_count = turn_count};
    watch(crowd.epoll, &crowd.trigger);
    join(&crowd, 1, hello, welcome);
    struct figures one = run_rounds(&crowd, rounds);
    int64_t memory = server_memory();
    join(&crowd, clients, hello, welcome);
    int64_t idle = server_memory() - memory;
    struct figures all = run_rounds(&crowd, rounds);
    int64_t later = server_memory() - memory;
    int more = clients - 1;
    printf("{\"cpu_us\":%.4f,\"trigger_cpu_us\":%.1f,\"took_us\":%.1f,\"idle_bytes\":%.1f,\"later_bytes\":%.1f}\n",
           (all.cpu - one.cpu) / more, one.cpu, all.took, (double)idle / more, (double)later / more);
    return 0;
}

int main(int argc, char **argv) {
    bool fan = argc > 1 && !strcmp(argv[1], "fan");
    if (argc < 2 || (!fan && strcmp(argv[1], "rtt")) || (fan ? argc < 12 || (argc - 9) % 3 : argc != 8)) {
        fprintf(stderr, "usage: load rtt SOCKET PID CLIENTS SECONDS|COUNTx REQUEST REPLY\n"
                        "       load fan SOCKET PID CLIENTS ROUNDS SEQUENCE HELLO WELCOME (TRIGGER EVENT REPLY)...\n");
        return 64;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    socket_path = argv[2];
    server = atoi(argv[3]);
    int clients = atoi(argv[4]);
    if (clients < 1) return 64;
    if (!fan) {
        struct message request = read_message(argv[6]), reply = read_message(argv[7]);
        return round_trips(clients, argv[5], &request, &reply);
    }
    sequence = strtoull(argv[6], NULL, 10);
    struct message hello = read_message(argv[7]), welcome = read_message(argv[8]);
    int turn_count = (argc - 9) / 3;
    struct turn *turns = need(calloc((size_t)turn_count, sizeof *turns));
    for (int i = 0; i < turn_count; i++)
        turns[i] = (struct turn){read_message(argv[9 + 3 * i]), read_message(argv[10 + 3 * i]), read_message(argv[11 + 3 * i])};
    return fan_out(clients, atoi(argv[5]), &hello, &welcome, turns, turn_count);
}
