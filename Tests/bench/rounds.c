// Round trips, and events to all.
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

// The next request; with `dials` on a connection of its own, whose making is part of the round trip.
static void ask(struct client *c, int epoll, bool dials, const struct message *request, uint32_t number) {
    uint64_t start = now();
    if (dials) {
        if (c->fd) close(c->fd);
        start = now();
        *c = dial();
        if (epoll >= 0) watch(epoll, c);
    }
    put(c, request, number, 0);
    c->asked = start;
}

int round_trips(int clients, bool dials, const char *length, const struct message *request, const struct message *reply) {
    struct window w = {.warm = now() + 100000000};
    if (strchr(length, 'x')) w.total = (uint32_t)atoi(length);
    else w.seconds = (uint64_t)(atof(length) * 1e9);
    struct client *all = need(calloc((size_t)clients, sizeof *all));
    uint32_t number = 0;
    bool over = false;
    for (int i = 0; i < clients && !dials; i++) all[i] = dial();
    if (clients == 1) {
        while (!over) {
            ask(all, -1, dials, request, ++number);
            while (!take(all, reply, 0, 0)) {}
            over = counted(&w, all);
        }
    } else {
        int epoll = epoll_create1(0);
        for (int i = 0; i < clients; i++) {
            if (!dials) watch(epoll, &all[i]);
            ask(&all[i], epoll, dials, request, ++number);
        }
        struct epoll_event ready[BATCH];
        while (!over) {
            // Without sleeping: a server that is slower than this driver would pay for waking it, a faster one not.
            int count = epoll_wait(epoll, ready, BATCH, 0);
            for (int i = 0; i < count && !over; i++) {
                struct client *c = ready[i].data.ptr;
                if (!take(c, reply, 0, MSG_DONTWAIT)) continue;
                over = counted(&w, c);
                if (!over) ask(c, epoll, dials, request, ++number);
            }
        }
    }
    qsort(samples, sample_count, sizeof *samples, ascending);
    printf("{\"count\":%zu,\"each_us\":%.3f,\"cpu_us\":%.4f,\"p50_us\":%.2f,\"p99_us\":%.2f}\n", sample_count,
           (double)(w.end - w.start) / 1000 / (double)sample_count, (double)w.cpu / 1000 / (double)sample_count, samples[sample_count / 2] / 1e3, samples[sample_count * 99 / 100] / 1e3);
    return 0;
}

// ---- one event to all

static int ascending_double(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}
static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending_double);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

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

// A trigger, until all clients have its event, its own connection the reply, and, with `rests`, the server has come to
// rest.
static struct figures run_round(struct crowd *crowd, bool rests) {
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
    if (rests) pause_ms(20);
    return (struct figures){(double)(server_cpu() - cpu) / 1000, (double)took / 1000};
}

static struct figures run_rounds(struct crowd *crowd, int rounds) {
    double cpu[MOST_ROUNDS], took[MOST_ROUNDS];
    for (int i = 0; i < crowd->turn_count; i++) run_round(crowd, true);   // warms up
    for (int i = 0; i < rounds; i++) {
        struct figures f = run_round(crowd, true);
        cpu[i] = f.cpu;
        took[i] = f.took;
    }
    return (struct figures){median(cpu, rounds), median(took, rounds)};
}

int fan_out(int clients, int rounds, const struct message *hello, const struct message *welcome, struct turn *turns, int turn_count) {
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

// ---- a call among few scenes and among many

// Microseconds for each of the pairs: CPU and median time.
static void call_each(int trips, const struct message *pairs, int pair_count, struct figures *found) {
    struct client caller = dial();
    for (int pair = 0; pair < pair_count; pair++) {
        uint64_t cpu = 0;
        sample_count = 0;
        for (int i = -trips / 10; i < trips; i++) {
            if (i == 0) cpu = server_cpu();
            // The number is a scene's, of those that are there in any case.
            put(&caller, &pairs[2 * pair], (uint32_t)(i & 7), 0);
            while (!take(&caller, &pairs[2 * pair + 1], 0, 0)) {}
            if (i >= 0) samples[sample_count++] = (uint32_t)(now() - caller.asked);
        }
        cpu = server_cpu() - cpu;
        qsort(samples, sample_count, sizeof *samples, ascending);
        found[pair] = (struct figures){(double)cpu / 1000 / trips, samples[sample_count / 2] / 1e3};
    }
    close(caller.fd);
}

int growth(int few, int many, int trips, const struct message *hello, const struct message *welcome, const struct message *pairs, int pair_count) {
    if (few < 8 || many < few || trips < 10 || pair_count < 1 || pair_count > 8) return 64;
    struct crowd crowd = {.epoll = epoll_create1(0), .clients = need(calloc((size_t)many, sizeof *crowd.clients))};
    struct figures among_few[8], among_many[8];
    join(&crowd, few, hello, welcome);
    call_each(trips, pairs, pair_count, among_few);
    join(&crowd, many, hello, welcome);
    call_each(trips, pairs, pair_count, among_many);
    for (int i = 0; i < pair_count; i++)
        printf("%s\"few%d_cpu_us\":%.4f,\"many%d_cpu_us\":%.4f,\"few%d_p50_us\":%.2f,\"many%d_p50_us\":%.2f", i ? "," : "{",
               i, among_few[i].cpu, i, among_many[i].cpu, i, among_few[i].took, i, among_many[i].took);
    printf("}\n");
    return 0;
}

// ---- events while some do not read

static uint64_t unread(const struct client *clients, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        int bytes = 0;
        if (ioctl(clients[i].fd, FIONREAD, &bytes)) die("ioctl");
        sum += (uint64_t)bytes;
    }
    return sum;
}

// As `run_rounds`, while the stopped ones' sockets are full already.
static struct figures run_past(struct crowd *crowd, int until, int rounds, const struct client *stopped, int count) {
    while (crowd->round < (uint32_t)until) run_round(crowd, false);
    uint64_t before = unread(stopped, count);
    struct figures found = run_rounds(crowd, rounds);
    if (unread(stopped, count) != before) { fprintf(stderr, "load: those that do not read still got something\n"); exit(1); }
    return found;
}

int stopped_readers(int good, int stopped, int rounds, int behind, const struct message *hello, const struct message *welcome, struct turn *turns, int turn_count) {
    if (rounds < 1 || rounds > MOST_ROUNDS || rounds % turn_count || good < 1 || stopped < 1) return 64;
    struct crowd crowd = {.epoll = epoll_create1(0), .clients = need(calloc((size_t)good, sizeof *crowd.clients)),
                          .trigger = dial(), .turns = turns, .turn_count = turn_count};
    watch(crowd.epoll, &crowd.trigger);
    join(&crowd, good, hello, welcome);
    // A server that keeps so many events has as many by now: what it costs to let the oldest go is in all figures.
    while (crowd.round < (uint32_t)behind) run_round(&crowd, false);
    struct figures without = run_rounds(&crowd, rounds);
    struct client *others = need(calloc((size_t)stopped, sizeof *others));
    for (int i = 0; i < stopped; i++) {
        others[i] = dial();
        put(&others[i], hello, (uint32_t)(good + i), crowd.round);
        while (!take(&others[i], welcome, crowd.round, 0)) {}
    }
    int joined = (int)crowd.round;
    struct figures full = run_past(&crowd, joined + behind / 2, rounds, others, stopped);
    struct figures gone = run_past(&crowd, joined + behind, rounds, others, stopped);
    printf("{\"without_us\":%.1f,\"full_us\":%.1f,\"gone_us\":%.1f,\"without_cpu_us\":%.1f,\"full_cpu_us\":%.1f,\"gone_cpu_us\":%.1f}\n",
           without.took, full.took, gone.took, without.cpu, full.cpu, gone.cpu);
    return 0;
}
