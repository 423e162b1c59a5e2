// load: the clients. Knows every byte that a server is to send, and compares all of them.
//
//   load rtt SOCKET PID CLIENTS SECONDS|COUNTx REQUEST REPLY
//   load dial SOCKET PID CLIENTS SECONDS|COUNTx REQUEST REPLY
//   load fan SOCKET PID CLIENTS ROUNDS SEQUENCE HELLO WELCOME (TRIGGER EVENT REPLY)...
//   load stopped SOCKET PID CLIENTS ROUNDS SEQUENCE STOPPED BEHIND HELLO WELCOME (TRIGGER EVENT REPLY)...
//   load growth SOCKET PID FEW MANY SEQUENCE TRIPS HELLO WELCOME (REQUEST REPLY)...
//   load back SOCKET PID CLIENTS SEQUENCE HELLO WELCOME HELLO2 WELCOME2
//   load replay SOCKET PID CLIENTS EVENTS SEQUENCE HELLO WELCOME EVENT...
//   load login SOCKET PID CLIENTS REQUEST
//   load refresh SOCKET PID CLIENTS REQUESTS
//   load restart SOCKET CLIENTS RESTARTS SEQUENCE HELLO WELCOME TRIGGER TRIGGER COMMAND...
//
// rtt: each client has one request in flight, for a time, or until there were so many in all (`20000x`).
// dial: the same with a connection for each request.
// fan: each client says HELLO and is answered WELCOME. One more connection then sends the triggers by turns, each
// when the one before is done, ROUNDS in all, a multiple of the turns; its EVENT goes to every client, its REPLY to that connection. What a trigger costs
// whoever hears of it (a commit to disk, say) is known from as many rounds with one client, and left out.
// stopped: the same, then with STOPPED more clients that read no event: when their sockets are full, and again when they
// are BEHIND events behind.
// growth: TRIPS round trips of each request on one connection, while FEW and then while MANY clients are connected.
// back: all are connected; when the server goes, they wait for another, and come back with HELLO2. Prints `connected`
// and `back`, and waits for a line of standard input at each; the second is the new server's PID.
// replay: each client says HELLO and is sent WELCOME and EVENTS events, by turns.
// login: the first client is told the login screen, which is printed; the others wait. At a line of standard input the user is
// on the way back; all get one and the same last answer then.
// refresh: each client sends one of the requests of a file, all at once, and is answered with a token.
// restart: events go to all clients, one after the other, while COMMAND restarts the server, RESTARTS times. Begins at a line
// of standard input.
//
// Messages are files. In them ######## is an 8-digit number: the request's, the client's, the round's; and @SEQ@ is
// SEQUENCE plus the round, counted from 1. In a reply, @@@@@ is any five digits. PID is the server, whose CPU time and memory
// are read (0: nobody's); `PID,PID` are two processes, and the CPU time is that of both.
// One JSON value comes out. Status 1: a server that sent anything else, or closed.
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int usage(void) {
    fprintf(stderr, "usage: load rtt|dial|fan|stopped|growth|back|replay|login|refresh|restart SOCKET ..., see load.c\n");
    return 64;
}

static struct message *read_messages(char **paths, int count) {
    struct message *messages = need(calloc((size_t)count + 1, sizeof *messages));
    for (int i = 0; i < count; i++) messages[i] = read_message(paths[i]);
    return messages;
}

static struct turn *read_turns(char **paths, int count) {
    struct turn *turns = need(calloc((size_t)count + 1, sizeof *turns));
    for (int i = 0; i < count; i++)
        turns[i] = (struct turn){read_message(paths[3 * i]), read_message(paths[3 * i + 1]), read_message(paths[3 * i + 2])};
    return turns;
}

int main(int argc, char **argv) {
    if (argc < 6) return usage();
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    const char *mode = argv[1];
    socket_path = argv[2];
    bool is_restart = !strcmp(mode, "restart");
    if (!is_restart) sscanf(argv[3], "%d,%d", &server, &server_part);
    int clients = atoi(argv[is_restart ? 3 : 4]), rest = argc - 5;
    char **word = argv + 5;
    if (clients < 1) return usage();
    bool dials = !strcmp(mode, "dial");
    if ((dials || !strcmp(mode, "rtt")) && rest == 3) {
        struct message *m = read_messages(word + 1, 2);
        return round_trips(clients, dials, word[0], &m[0], &m[1]);
    }
    if (!strcmp(mode, "login") && rest == 1) return wait_for_login(clients, read_messages(word, 1));
    if (!strcmp(mode, "refresh") && rest == 1) return refresh_all(clients, word[0]);
    if (rest < 2) return usage();
    sequence = strtoull(word[!strcmp(mode, "back") ? 0 : 1], NULL, 10);
    if (!strcmp(mode, "fan") && rest >= 7 && (rest - 4) % 3 == 0) {
        struct message *m = read_messages(word + 2, 2);
        return fan_out(clients, atoi(word[0]), &m[0], &m[1], read_turns(word + 4, (rest - 4) / 3), (rest - 4) / 3);
    }
    if (!strcmp(mode, "stopped") && rest >= 9 && (rest - 6) % 3 == 0) {
        struct message *m = read_messages(word + 4, 2);
        return stopped_readers(clients, atoi(word[2]), atoi(word[0]), atoi(word[3]), &m[0], &m[1],
                               read_turns(word + 6, (rest - 6) / 3), (rest - 6) / 3);
    }
    if (!strcmp(mode, "growth") && rest >= 7 && (rest - 5) % 2 == 0) {
        struct message *m = read_messages(word + 3, rest - 3);
        return growth(clients, atoi(word[0]), atoi(word[2]), &m[0], &m[1], m + 2, (rest - 5) / 2);
    }
    if (!strcmp(mode, "back") && rest == 5) {
        struct message *m = read_messages(word + 1, 4);
        return come_back(clients, &m[0], &m[1], &m[2], &m[3]);
    }
    if (!strcmp(mode, "replay") && rest >= 5) {
        struct message *m = read_messages(word + 2, rest - 2);
        return replay(clients, atoi(word[0]), &m[0], &m[1], m + 2, rest - 4);
    }
    // One word less: no PID.
    if (is_restart && rest >= 6) {
        struct message *m = read_messages(word + 1, 4);
        sequence = strtoull(word[0], NULL, 10);
        return restarts(clients, atoi(argv[4]), word + 5, &m[0], &m[1], &m[2]);
    }
    return usage();
}
