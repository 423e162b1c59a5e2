// What the load driver's measurements share: clocks, messages, connections.
#pragma once
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { LONGEST = 1 << 16, BATCH = 256, MOST_ROUNDS = 1024 };

extern const char *socket_path;
extern pid_t server;                // whose CPU time and memory are read; 0: nobody's
extern pid_t server_part;           // another process of the server's, whose CPU time counts too; 0: none
extern uint64_t sequence;           // before the first round

void die(const char *what);
void *need(void *memory);
void pause_ms(int milliseconds);

// Nanoseconds; the server's are of all its threads and both processes.
uint64_t now(void);
uint64_t server_cpu(void);
// Bytes.
int64_t server_memory(void);

struct message { char *text; size_t count; ssize_t digits_at, sequence_at, any_at; };
struct message read_message(const char *path);
// The message with its numbers. Valid until the next but seven.
char *render(const struct message *m, uint32_t number, uint64_t round, size_t *count);
void complain(const char *got, size_t got_count, const char *wanted, size_t count, size_t at);

// `at`: how much of what it awaits has come.
struct client { int fd; uint32_t number; size_t at; uint64_t asked; };
struct client dial(void);
void put(struct client *c, const struct message *m, uint32_t number, uint64_t round);
// Receives once. Whether all that was wanted is here, and nothing beyond it.
bool take(struct client *c, const struct message *m, uint64_t round, int flags);
void watch(int epoll, struct client *c);

// A trigger, the event that it makes, and its reply.
struct turn { struct message trigger, event, reply; };

// rounds.c
int round_trips(int clients, bool dials, const char *length, const struct message *request, const struct message *reply);
int fan_out(int clients, int rounds, const struct message *hello, const struct message *welcome, struct turn *turns, int turn_count);
int growth(int few, int many, int trips, const struct message *hello, const struct message *welcome, const struct message *pairs, int pair_count);
int stopped_readers(int good, int stopped, int rounds, int behind, const struct message *hello, const struct message *welcome, struct turn *turns, int turn_count);

// waves.c
int come_back(int clients, const struct message *hello, const struct message *welcome, const struct message *again, const struct message *resumed);
int replay(int clients, int events, const struct message *hello, const struct message *welcome, const struct message *turns, int turn_count);
int wait_for_login(int clients, const struct message *ask);
int refresh_all(int clients, const char *requests);
int restarts(int clients, int count, char **command, const struct message *hello, const struct message *welcome, const struct message *triggers);
