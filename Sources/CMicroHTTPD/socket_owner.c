#define _GNU_SOURCE
#include "socket_owner.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdalign.h>
#include <string.h>
#include <sys/socket.h>

// Of the kernel's enumeration of TCP states; <linux/tcp.h> and <netinet/tcp.h> do not go together.
enum { STATE_ESTABLISHED = 1 };

// An answer that was not for this question is passed over, but not for ever.
enum { ANSWERS = 16 };

int socket_owner_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    return descriptor < 0 ? -errno : descriptor;
}

// Writes one end of a connection into a question; false where it is no TCP address.
static bool put_end(const struct sockaddr_storage *end, __be32 address[4], __be16 *port) {
    if (end->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)end;
        memcpy(address, &v4->sin_addr, sizeof v4->sin_addr);
        *port = v4->sin_port;
        return true;
    }
    if (end->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)end;
        memcpy(address, &v6->sin6_addr, sizeof v6->sin6_addr);
        *port = v6->sin6_port;
        return true;
    }
    return false;
}

static int read_answer(
    int diagnosis, uint32_t sequence, const struct inet_diag_sockid *asked, struct socket_owner *owner) {
    for (int answer = 0; answer < ANSWERS; answer++) {
        alignas(struct nlmsghdr) char buffer[8192];
        struct sockaddr_nl from = {0};
        socklen_t from_size = sizeof from;
        ssize_t size =
            recvfrom(diagnosis, buffer, sizeof buffer, MSG_DONTWAIT, (struct sockaddr *)&from, &from_size);
        if (size < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        if (from.nl_pid != 0) continue;  // only the kernel's word counts

        const struct nlmsghdr *header = (const void *)buffer;
        if (!NLMSG_OK(header, (size_t)size) || header->nlmsg_seq != sequence) continue;
        if (header->nlmsg_type == NLMSG_ERROR) {
            if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -EPROTO;
            int code = ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
            return code < 0 ? code : -EPROTO;
        }
        if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY) return -EPROTO;
        if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return -EPROTO;

        const struct inet_diag_msg *found = NLMSG_DATA(header);
        // Where there is no such connection, the kernel offers a listener on the same port.
        if (found->id.idiag_sport != asked->idiag_sport || found->id.idiag_dport != asked->idiag_dport) return -ENOENT;
        *owner = (struct socket_owner){
            .uid = found->idiag_uid,
            .inode = found->idiag_inode,
            .established = found->idiag_state == STATE_ESTABLISHED,
        };
        return 0;
    }
    return -EPROTO;
}

int socket_owner_of_peer(int diagnosis, int connection, struct socket_owner *owner) {
    *owner = (struct socket_owner){0};
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    if (getsockname(connection, (struct sockaddr *)&here, &here_size) != 0) return -errno;
    if (getpeername(connection, (struct sockaddr *)&there, &there_size) != 0) return -errno;

    static _Thread_local uint32_t sequence;
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 question;
    } request = {
        .header =
            {
                .nlmsg_len = sizeof request,
                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                .nlmsg_flags = NLM_F_REQUEST,
                .nlmsg_seq = ++sequence,
            },
        .question =
            {
                .sdiag_family = (__u8)here.ss_family,
                .sdiag_protocol = IPPROTO_TCP,
                .idiag_states = ~0u,
                .id.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
            },
    };
    struct inet_diag_sockid *id = &request.question.id;
    // The other end's socket: what is its source is where we see it.
    if (here.ss_family != there.ss_family || !put_end(&there, id->idiag_src, &id->idiag_sport) ||
        !put_end(&here, id->idiag_dst, &id->idiag_dport))
        return -EAFNOSUPPORT;

    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t sent =
        sendto(diagnosis, &request, sizeof request, MSG_DONTWAIT, (struct sockaddr *)&kernel, sizeof kernel);
    if (sent < 0) return -errno;
    return read_answer(diagnosis, request.header.nlmsg_seq, id, owner);
}
