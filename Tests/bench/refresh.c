// refresh: the least that a client of a login host does: refreshes, all at once, by libcurl, and the answers thrown away.
//
//   refresh URL COUNT CONNECTIONS
//
// At most so many connections at a time. One JSON value comes out: microseconds for each, and for all.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double microseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static size_t look(char *bytes, size_t size, size_t count, void *is_token) {
    *(bool *)is_token |= memmem(bytes, size * count, "\"access_token\"", 14) != NULL;
    return size * count;
}

int main(int argc, char **argv) {
    if (argc != 4) { fprintf(stderr, "usage: refresh URL COUNT CONNECTIONS\n"); return 64; }
    int count = atoi(argv[2]), running = 1, left;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    CURL **all = calloc((size_t)count, sizeof *all);
    bool *good = calloc((size_t)count, sizeof *good);
    if (!multi || !all || !good) return 1;
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, atol(argv[3]));
    double start = microseconds(CLOCK_MONOTONIC), cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < count; i++) {
        char body[256];
        snprintf(body, sizeof body, "grant_type=refresh_token&refresh_token=refresh-token-of-43-characters-%012d&client_id=scene", i);
        all[i] = curl_easy_init();
        curl_easy_setopt(all[i], CURLOPT_URL, argv[1]);
        curl_easy_setopt(all[i], CURLOPT_COPYPOSTFIELDS, body);
        curl_easy_setopt(all[i], CURLOPT_WRITEFUNCTION, look);
        curl_easy_setopt(all[i], CURLOPT_WRITEDATA, &good[i]);
        curl_multi_add_handle(multi, all[i]);
    }
    while (running) {
        if (curl_multi_perform(multi, &running) || (running && curl_multi_poll(multi, NULL, 0, 1000, NULL))) return 1;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            CURL *easy = message->easy_handle;
            curl_multi_remove_handle(multi, easy);
            curl_easy_cleanup(easy);
        }
    }
    double took = microseconds(CLOCK_MONOTONIC) - start;
    cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    for (int i = 0; i < count; i++)
        if (!good[i]) { fprintf(stderr, "refresh: the host gave no token\n"); return 1; }
    printf("{\"cpu_us\":%.4f,\"each_us\":%.4f,\"took_us\":%.1f}\n", cpu / count, took / count, took);
    return 0;
}
