#pragma once

#include <curl/curl.h>
#include <stdbool.h>

// curl_easy_setopt with the three kinds of value that we set.
CURLcode scene_curl_set_number(CURL *easy, CURLoption option, long value);
CURLcode scene_curl_set_text(CURL *easy, CURLoption option, const char *text);
CURLcode scene_curl_set_pointer(CURL *easy, CURLoption option, void *pointer);

/// Sets where the answer's header lines and body go; both functions are given `context`.
CURLcode scene_curl_set_sinks(
    CURL *easy, curl_write_callback header, curl_write_callback body, void *context);

/// Sockets of this transfer are closed on exec; with `loopback_only` it connects to loopback addresses and no others,
/// whatever a name resolves to.
CURLcode scene_curl_set_socket_policy(CURL *easy, bool loopback_only);

/// The answer's HTTP status, 0 where there is none (CURLINFO_RESPONSE_CODE).
long scene_curl_status(CURL *easy);
/// Whether any of the request went out (CURLINFO_REQUEST_SIZE).
bool scene_curl_was_sent(CURL *easy);
/// What CURLOPT_PRIVATE was set to.
void *scene_curl_private(CURL *easy);
/// Where a redirect that was not followed points to, as an absolute URL, or NULL; lives as long as the handle.
const char *scene_curl_redirect(CURL *easy);

/// curl_multi_setopt for CURLMOPT_SOCKETFUNCTION and CURLMOPT_TIMERFUNCTION.
CURLMcode scene_curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context);
CURLMcode scene_curl_multi_set_number(CURLM *multi, CURLMoption option, long value);
