#include "CMicroHTTPD.h"

struct MHD_Daemon *cmicrohttpd_start(
    int listener, struct cmicrohttpd_limits limits, struct cmicrohttpd_handlers handlers, void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handlers.request, context,
        MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, handlers.target, context,
        MHD_OPTION_NOTIFY_COMPLETED, handlers.completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, handlers.connection, context,
        MHD_OPTION_END);
}

int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

int cmicrohttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}
