#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Newer than Debian 12's headers.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t clinux_send(int socket, const void *bytes, size_t count) {
    return syscall(SYS_sendto, socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
}

ssize_t clinux_receive(int socket, void *bytes, size_t count) {
    return syscall(SYS_recvfrom, socket, bytes, count, MSG_DONTWAIT, NULL, NULL);
}

static int epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data = {.u64 = data}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data) {
    return epoll_control(epoll, EPOLL_CTL_ADD, descriptor, events, data);
}

int clinux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data) {
    return epoll_control(epoll, EPOLL_CTL_MOD, descriptor, events, data);
}

int clinux_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int clinux_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

int clinux_peer_pidfd(int socket) {
    int pidfd = -1;
    socklen_t length = sizeof pidfd;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) < 0 ? -1 : pidfd;
}

int clinux_pidfd_open(int32_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int clinux_socket_cookie(int socket, uint64_t *cookie) {
    socklen_t length = sizeof *cookie;
    return getsockopt(socket, SOL_SOCKET, SO_COOKIE, cookie, &length);
}

int clinux_refuse_passed_descriptors(int socket) {
    int no = 0;
    return setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof no);
}

int clinux_network_changes(void) {
    struct sockaddr_nl groups = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (netlink >= 0 && bind(netlink, (struct sockaddr *)&groups, sizeof groups) != 0) {
        int problem = errno;
        close(netlink);
        errno = problem;
        return -1;
    }
    return netlink;
}

int clinux_refuse_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int clinux_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB);
}

int clinux_memfd_create(const char *name) {
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int clinux_send_descriptor(int socket, uint8_t byte, int descriptor) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memset(&control, 0, sizeof control);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return (int)sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}
