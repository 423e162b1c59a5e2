#define _GNU_SOURCE
#include "CCurl.h"

#include <netinet/in.h>
#include <sys/socket.h>

CURLcode scene_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode scene_curl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

CURLcode scene_curl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}

CURLcode scene_curl_set_sinks(
    CURL *easy, curl_write_callback header, curl_write_callback body, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return code;
}

static bool is_loopback(const struct curl_sockaddr *address) {
    if (address->family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)&address->addr;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)&address->addr;
        return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    }
    return false;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    if (context != NULL && !is_loopback(address)) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode scene_curl_set_socket_policy(CURL *easy, bool loopback_only) {
    static char yes;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, loopback_only ? &yes : NULL);
    return code;
}

long scene_curl_status(CURL *easy) {
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

bool scene_curl_was_sent(CURL *easy) {
    long bytes = 0;
    return curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &bytes) == CURLE_OK && bytes > 0;
}

void *scene_curl_private(CURL *easy) {
    char *pointer = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &pointer) == CURLE_OK ? pointer : NULL;
}

const char *scene_curl_redirect(CURL *easy) {
    char *url = NULL;
    return curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &url) == CURLE_OK ? url : NULL;
}

CURLMcode scene_curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

CURLMcode scene_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
