// Many at once: scenes that come back, scenes that missed much, calls that wait for one login.
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// How many may be on their way at a time: a driver of one thread with ten thousand would measure itself.
enum { ON_THEIR_WAY = 256 };

// Says how far it is, and waits for the word of whoever started this.
static void meet(const char *place) {
    char line[64];
    printf("%s\n", place);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) exit(1);
    if (atoi(line)) server = atoi(line);
}

static int wait_ready(int epoll, struct epoll_event *ready) {
    int count = epoll_wait(epoll, ready, BATCH, 60000);
    if (count <= 0) { fprintf(stderr, "load: the server sends no more\n"); exit(1); }
    return count;
}

// Connects all; each says `hello` and is answered `welcome`. They stay in `epoll`.
static void connect_all(int epoll, struct client *clients, int count, const struct message *hello, const struct message *welcome) {
    struct epoll_event ready[BATCH];
    for (int asked = 0, answered = 0; answered < count;) {
        while (asked < count && asked - answered < ON_THEIR_WAY) {
            clients[asked] = dial();
            put(&clients[asked], hello, (uint32_t)asked, 0);
            watch(epoll, &clients[asked++]);
        }
        int found = wait_ready(epoll, ready);
        for (int i = 0; i < found; i++) answered += take(ready[i].data.ptr, welcome, 0, MSG_DONTWAIT);
    }
}

// ---- coming back after a restart

static bool is_there(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool connected = !connect(fd, (struct sockaddr *)&address, sizeof address);
    close(fd);
    return connected;
}

// All lose their server, and come back at once when there is a new one.
int come_back(int clients, const struct message *hello, const struct message *welcome, const struct message *again, const struct message *resumed) {
    struct client *all = need(calloc((size_t)clients, sizeof *all));
    struct epoll_event ready[BATCH];
    int epoll = epoll_create1(0);
    uint64_t start = now();
    connect_all(epoll, all, clients, hello, welcome);
    uint64_t joined = now() - start, cpu = server_cpu();
    meet("connected");
    for (int gone = 0; gone < clients;) {
        int found = wait_ready(epoll, ready);
        for (int i = 0; i < found; i++, gone++) {
            char byte;
            struct client *c = ready[i].data.ptr;
            if (recv(c->fd, &byte, 1, MSG_DONTWAIT) > 0) { fprintf(stderr, "load: the server sent more\n"); exit(1); }
            close(c->fd);
        }
    }
    uint64_t lost = now();
    while (!is_there()) pause_ms(1);
    uint64_t there = now();
    connect_all(epoll, all, clients, again, resumed);
    uint64_t back = now();
    meet("back");
    printf("{\"joined_cpu_us\":%.4f,\"joined_us\":%.1f,\"away_us\":%.1f,\"back_us\":%.1f,\"back_cpu_us\":%.4f}\n",
           (double)cpu / 1000 / clients, (double)joined / 1000, (double)(there - lost) / 1000, (double)(back - there) / 1000,
           (double)server_cpu() / 1000 / clients);
    return 0;
}

// ---- replay

// What each is sent behind its welcome: the events by turns.
static char *make_tail(int events, const struct message *turns, int turn_count, size_t *count) {
    size_t room = 0;
    for (int i = 0; i < turn_count; i++) room = turns[i].count + 32 > room ? turns[i].count + 32 : room;
    char *tail = need(malloc(room * (size_t)events));
    *count = 0;
    for (int i = 1; i <= events; i++) {
        size_t size;
        const char *event = render(&turns[(i - 1) % turn_count], (uint32_t)i, (uint64_t)i, &size);
        memcpy(tail + *count, event, size);
        *count += size;
    }
    return tail;
}

// Receives once, of welcome and tail. Whether that is all.
static bool take_stream(struct client *c, const struct message *welcome, const char *tail, size_t tail_count) {
    static char buffer[1 << 18];
    size_t head;
    const char *first = render(welcome, c->number, 0, &head);
    ssize_t got = recv(c->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) { fprintf(stderr, "load: the server closed a connection\n"); exit(1); }
    size_t used = 0;
    if (c->at < head) {
        used = head - c->at < (size_t)got ? head - c->at : (size_t)got;
        if (memcmp(buffer, first + c->at, used)) complain(buffer, (size_t)got, first, head, c->at);
        c->at += used;
    }
    size_t rest = (size_t)got - used, at = c->at - head;
    if (rest && (at + rest > tail_count || memcmp(buffer + used, tail + at, rest))) {
        size_t shown = tail_count - at < 2000 ? tail_count - at : 2000;
        complain(buffer + used, rest < 2000 ? rest : 2000, tail + at, shown, 0);
    }
    c->at += rest;
    return c->at == head + tail_count;
}

int replay(int clients, int events, const struct message *hello, const struct message *welcome, const struct message *turns, int turn_count) {
    struct client *all = need(calloc((size_t)clients, sizeof *all));
    struct epoll_event ready[BATCH];
    int epoll = epoll_create1(0);
    size_t tail_count;
    char *tail = make_tail(events, turns, turn_count, &tail_count);
    uint64_t cpu = server_cpu(), start = now();
    for (int i = 0; i < clients; i++) {
        all[i] = dial();
        put(&all[i], hello, (uint32_t)i, 0);
        watch(epoll, &all[i]);
    }
    for (int done = 0; done < clients;) {
        int found = wait_ready(epoll, ready);
        for (int i = 0; i < found; i++) done += take_stream(ready[i].data.ptr, welcome, tail, tail_count);
    }
    uint64_t took = now() - start;
    pause_ms(20);
    printf("{\"cpu_us\":%.4f,\"took_us\":%.1f}\n", (double)(server_cpu() - cpu) / 1000 / clients / events, (double)took / 1000);
    return 0;
}

// ---- one login for all

struct waiting { struct client client; char *text; bool told, done; };

// Receives once; the last whole message, its NUL included, is in `text` then. False: none yet.
static bool hear(struct waiting *w) {
    ssize_t got = recv(w->client.fd, w->text + w->client.at, LONGEST - w->client.at - 1, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) { fprintf(stderr, "load: the server closed a connection\n"); exit(1); }
    size_t count = w->client.at + (size_t)got;
    if (w->text[count - 1]) { w->client.at = count; return false; }
    size_t last = count - 1;
    while (last && w->text[last - 1]) last--;
    memmove(w->text, w->text + last, count - last);
    w->client.at = 0;
    return true;
}

// The first asks with a login screen in mind, the others wait with it. What it is told is printed; another signs in.
int wait_for_login(int clients, const struct message *ask) {
    struct waiting *all = need(calloc((size_t)clients, sizeof *all));
    struct epoll_event ready[BATCH];
    int epoll = epoll_create1(0), done = 0;
    char *answer = need(malloc(LONGEST));
    for (int i = 0; i < clients; i++) all[i].text = need(malloc(i ? 4096 : LONGEST));
    uint64_t cpu = 0;
    for (int asked = 0, told = 0; told < clients;) {
        // The first is alone until the login screen is there.
        while (asked < clients && (asked == 0 || told) && asked - told < ON_THEIR_WAY) {
            if (asked == 1) cpu = server_cpu();
            all[asked].client = dial();
            put(&all[asked].client, ask, (uint32_t)asked, 0);
            watch(epoll, &all[asked++].client);
        }
        int found = wait_ready(epoll, ready);
        for (int i = 0; i < found; i++) {
            struct waiting *w = ready[i].data.ptr;
            if (!hear(w) || w->told) continue;
            if (w == all && !strstr(w->text, "\"presenting\"")) continue;
            w->told = true;
            told++;
        }
    }
    double joined = (double)(server_cpu() - cpu) / 1000 / (clients - 1);
    meet(all->text);
    cpu = server_cpu();
    uint64_t start = now();
    while (done < clients) {
        int found = wait_ready(epoll, ready);
        for (int i = 0; i < found; i++) {
            struct waiting *w = ready[i].data.ptr;
            if (!hear(w) || w->done || strstr(w->text, "\"continues\"")) continue;
            if (!done++) strcpy(answer, w->text);
            if (!strstr(w->text, "\"signedIn\"") || strcmp(answer, w->text))
                complain(w->text, strlen(w->text), answer, strlen(answer), 0);
            w->done = true;
        }
    }
    uint64_t took = now() - start;
    pause_ms(20);
    printf("{\"joined_cpu_us\":%.4f,\"cpu_us\":%.1f,\"took_us\":%.1f}\n", joined, (double)(server_cpu() - cpu) / 1000, (double)took / 1000);
    return 0;
}

// ---- tokens for many accounts

// One of the requests each, all at once; the answer to each is a token.
int refresh_all(int clients, const char *requests) {
    FILE *file = fopen(requests, "r");
    if (!file) die(requests);
    struct waiting *all = need(calloc((size_t)clients, sizeof *all));
    char **texts = need(calloc((size_t)clients, sizeof *texts));
    struct epoll_event ready[BATCH];
    int epoll = epoll_create1(0);
    for (int i = 0; i < clients; i++) {
        size_t room = 0;
        if (getdelim(&texts[i], &room, 0, file) < 2) { fprintf(stderr, "load: %d requests\n", i); exit(1); }
        all[i].text = need(malloc(4096));
        all[i].client = dial();
        watch(epoll, &all[i].client);
    }
    fclose(file);
    pause_ms(50);
    uint64_t cpu = server_cpu(), start = now();
    for (int i = 0; i < clients; i++)
        if (send(all[i].client.fd, texts[i], strlen(texts[i]) + 1, MSG_NOSIGNAL) < 0) die("send");
    for (int done = 0; done < clients;) {
        int found = wait_ready(epoll, ready);
        for (int i = 0; i < found; i++) {
            struct waiting *w = ready[i].data.ptr;
            if (!hear(w)) continue;
            if (!strstr(w->text, "\"token\":{\"value\":\"access-token-")) complain(w->text, strlen(w->text), "a token", 7, 0);
            done++;
        }
    }
    uint64_t took = now() - start;
    pause_ms(20);
    cpu = server_cpu() - cpu;
    printf("{\"cpu_us\":%.4f,\"each_us\":%.4f,\"took_us\":%.1f}\n", (double)cpu / 1000 / clients, (double)took / 1000 / clients, (double)took / 1000);
    return 0;
}

// ---- kept over a restart

// A scene that is kept: the sequence and the time of its last event, and the longest that it waited for one.
struct kept { struct client client; uint64_t sequence, last, longest; size_t count; char text[8192]; };

static void follow(struct kept *k) {
    ssize_t got = recv(k->client.fd, k->text + k->count, sizeof k->text - k->count - 1, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) { fprintf(stderr, "load: a kept scene was cut off\n"); exit(1); }
    k->count += (size_t)got;
    char *start = k->text, *end;
    for (; (end = memchr(start, 0, k->count - (size_t)(start - k->text))); start = end + 1) {
        char *number = strstr(start, "\"sequence\":");
        if (!number || !strstr(start, "currentUserChanged")) complain(start, strlen(start), "an event", 8, 0);
        uint64_t found = strtoull(number + 11, NULL, 10), t = now();
        if (found != k->sequence + 1) { fprintf(stderr, "load: %llu follows %llu\n", (unsigned long long)found, (unsigned long long)k->sequence); exit(1); }
        k->sequence = found;
        if (t - k->last > k->longest) k->longest = t - k->last;
        k->last = t;
    }
    k->count -= (size_t)(start - k->text);
    memmove(k->text, start, k->count);
}

struct keeping { int epoll, count; struct kept *scenes; const struct message *triggers; uint32_t turn; };

// Has one event happen, whatever becomes of the connection that asks for it, and every scene have it.
static void beat(struct keeping *all) {
    uint64_t wanted = all->scenes[0].sequence + 1;
    char answer[8192];
    for (;;) {
        struct client caller = dial();
        size_t count;
        const char *ask = render(&all->triggers[all->turn % 2], 0, 0, &count);
        // No answer: it may have happened all the same, and asking again does no harm.
        bool answered = send(caller.fd, ask, count, MSG_NOSIGNAL) == (ssize_t)count && recv(caller.fd, answer, sizeof answer, 0) > 0;
        close(caller.fd);
        if (answered) break;
    }
    all->turn++;
    struct epoll_event ready[BATCH];
    for (int behind = all->count; behind > 0;) {
        int found = wait_ready(all->epoll, ready);
        for (int i = 0; i < found; i++) follow(ready[i].data.ptr);
        behind = 0;
        for (int i = 0; i < all->count; i++) behind += all->scenes[i].sequence < wanted;
    }
}

static void forget_pauses(struct keeping *all) {
    for (int i = 0; i < all->count; i++) all->scenes[i].longest = 0;
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void print_pauses(const struct keeping *all, const char *name) {
    uint64_t *pauses = need(calloc((size_t)all->count, sizeof *pauses));
    for (int i = 0; i < all->count; i++) pauses[i] = all->scenes[i].longest;
    qsort(pauses, (size_t)all->count, sizeof *pauses, ascending);
    printf("\"%s_us\":%.1f,\"%s_slowest_us\":%.1f", name, (double)pauses[all->count / 2] / 1000, name, (double)pauses[all->count - 1] / 1000);
    free(pauses);
}

// Scenes hear of one event after the other while the command restarts the server: how long they wait for one, at most.
int restarts(int clients, int count, char **command, const struct message *hello, const struct message *welcome, const struct message *triggers) {
    struct keeping all = {epoll_create1(0), clients, need(calloc((size_t)clients, sizeof *all.scenes)), triggers, 0};
    for (int i = 0; i < clients; i++) {
        struct kept *k = &all.scenes[i];
        k->client = dial();
        put(&k->client, hello, (uint32_t)i, 0);
        while (!take(&k->client, welcome, 0, 0)) {}
        k->sequence = sequence;
        struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = k};
        if (epoll_ctl(all.epoll, EPOLL_CTL_ADD, k->client.fd, &wanted)) die("epoll_ctl");
    }
    meet("connected");
    printf("[");
    for (int turn = 0; turn < count; turn++) {
        for (int i = 0; i < 10; i++) beat(&all);
        forget_pauses(&all);
        for (int i = 0; i < 20; i++) beat(&all);
        printf("%s{", turn ? "," : "");
        print_pauses(&all, "usual");
        forget_pauses(&all);
        fflush(stdout);
        int child = fork(), status = 0;
        if (child == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO);
            execvp(command[0], command);
            die(command[0]);
        }
        while (waitpid(child, &status, WNOHANG) == 0) beat(&all);
        if (status) { fprintf(stderr, "load: %s failed\n", command[0]); exit(1); }
        for (int i = 0; i < 10; i++) beat(&all);
        printf(",");
        print_pauses(&all, "pause");
        printf("}");
    }
    printf("]\n");
    return 0;
}
