#pragma once
#include <stdbool.h>
#include <stdint.h>

/// What the kernel knows of a TCP socket on this machine. An orphan (closed by its process) has uid 0 and inode 0.
struct socket_owner {
    uint32_t uid;
    uint32_t inode;
    bool established;
};

/// A descriptor to ask through, or -errno. NETLINK_SOCK_DIAG
int socket_owner_open(void);

/// Who holds the other end of a connection whose both ends are on this machine. Never waits. 0, or -errno: ENOENT where
/// there is no such socket, ENOTCONN where the connection is gone. sock_diag(7), inet_diag_req_v2
int socket_owner_of_peer(int diagnosis, int connection, struct socket_owner *owner);
