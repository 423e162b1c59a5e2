// host: the token endpoint of a login host, as fast as one thread can be; it believes everybody.
//
//   host PORT DOCUMENT
//
// HTTP/1.1 on loopback, connections kept. GET is answered with DOCUMENT, POST with new tokens, numbered. At SIGTERM it
// prints how many of these and how many connections there were.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 4096, LONGEST = 16384, EVENTS = 256 };

static char requests[CONNECTIONS][LONGEST];     // what has come of the next request
static size_t counts[CONNECTIONS];
static char document[LONGEST];
static unsigned long given, connected;
static volatile sig_atomic_t ends;

static void die(const char *what) { perror(what); exit(1); }
static void end(int signal) { (void)signal; ends = 1; }

static void answer(int fd, const char *body) {
    char text[2 * LONGEST];
    int count = snprintf(text, sizeof text,
                         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: %zu\r\n\r\n%s",
                         strlen(body), body);
    if (send(fd, text, (size_t)count, MSG_NOSIGNAL) != count) { shutdown(fd, SHUT_RDWR); }
}

static void give(int fd) {
    char body[512];
    given++;
    snprintf(body, sizeof body,
             "{\"access_token\":\"access-token-of-43-characters-%013lu\",\"token_type\":\"Bearer\",\"expires_in\":86400,"
             "\"refresh_token\":\"refresh-token-of-43-characters-%012lu\",\"scope\":\"openid profile email\"}", given, given);
    answer(fd, body);
}

// Answers every whole request.
static void serve(int fd) {
    char *text = requests[fd], *head;
    text[counts[fd]] = 0;
    while ((head = strstr(text, "\r\n\r\n"))) {
        char *field = strcasestr(text, "\r\nContent-Length:");
        size_t body = field && field < head ? strtoul(field + 17, NULL, 10) : 0, size = (size_t)(head + 4 - text) + body;
        if (counts[fd] < size) return;
        if (!strncmp(text, "POST ", 5)) give(fd); else answer(fd, document);
        counts[fd] -= size;
        memmove(text, text + size, counts[fd] + 1);
    }
}

static void receive(int fd) {
    ssize_t got = recv(fd, requests[fd] + counts[fd], LONGEST - 1 - counts[fd], MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) { counts[fd] = 0; close(fd); return; }
    counts[fd] += (size_t)got;
    serve(fd);
}

int main(int argc, char **argv) {
    if (argc != 3) { fprintf(stderr, "usage: host PORT DOCUMENT\n"); return 64; }
    FILE *file = fopen(argv[2], "r");
    if (!file) die(argv[2]);
    document[fread(document, 1, sizeof document - 1, file)] = 0;
    fclose(file);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1, epoll = epoll_create1(EPOLL_CLOEXEC);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, CONNECTIONS)) die("bind");
    struct epoll_event ready[EVENTS], wanted = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &wanted);
    printf("ready\n");
    fflush(stdout);
    while (!ends) {
        int count = epoll_wait(epoll, ready, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int fd = ready[i].data.fd;
            if (fd != listener) { receive(fd); continue; }
            fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd >= CONNECTIONS) close(fd);
            if (fd < 0 || fd >= CONNECTIONS) continue;
            connected++;
            wanted = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
            epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
        }
    }
    printf("{\"refreshes\":%lu,\"connections\":%lu}\n", given, connected);
    return 0;
}
