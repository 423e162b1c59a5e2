#pragma once
#include <microhttpd.h>
#include <stddef.h>

#include "socket_owner.h"

// Typed functions for what is variadic in microhttpd.h.

/// What a server calls. Each function is first given the context of cmicrohttpd_start.
struct cmicrohttpd_handlers {
    MHD_AccessHandlerCallback request;
    /// A request line has come; the target is as the client wrote it. What is returned is the request's own pointer.
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
};

struct cmicrohttpd_limits {
    unsigned int connections;
    /// Of a connection that sends nothing.
    unsigned int timeout_seconds;
    /// Bytes for one connection's request line, headers and response headers.
    size_t memory;
};

/// Serves a listening socket from its owner's loop: no thread, no log. The server owns the socket until
/// MHD_quiesce_daemon or MHD_stop_daemon; NULL leaves it with the caller. MHD_start_daemon
struct MHD_Daemon *cmicrohttpd_start(
    int listener, struct cmicrohttpd_limits limits, struct cmicrohttpd_handlers handlers, void *context);

/// The descriptor that is readable when MHD_run has something to do; -1 if there is none. MHD_get_daemon_info
int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *server);

/// The connection's socket, which stays the server's. MHD_get_connection_info
int cmicrohttpd_socket(struct MHD_Connection *connection);
