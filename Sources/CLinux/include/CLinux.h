#pragma once
// What Linux offers and Swift's Glibc module does not: GNU functions, variadic calls, macros.
// Functions return -1 and set errno, unless they say otherwise.

#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

// send(2) and recv(2), not blocking. In a program with threads, glibc's own pay for pthread_cancel(3) in each call.
ssize_t clinux_send(int socket, const void *bytes, size_t count);
ssize_t clinux_receive(int socket, void *bytes, size_t count);

/// The close-on-exec, non-blocking descriptor of the next connection: accept4(2).
int clinux_accept(int listener);

/// Registers with `data` in the event: epoll_ctl(2), EPOLL_CTL_ADD.
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data);
/// epoll_ctl(2), EPOLL_CTL_MOD.
int clinux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data);
/// epoll_ctl(2), EPOLL_CTL_DEL.
int clinux_epoll_remove(int epoll, int descriptor);

/// Who connected, as the kernel noted it then: SO_PEERCRED.
int clinux_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid);
/// A pidfd of who connected, safe against reuse of the pid: SO_PEERPIDFD, Linux 6.5.
int clinux_peer_pidfd(int socket);
/// pidfd_open(2).
int clinux_pidfd_open(int32_t pid);
/// A number that no other socket since boot has: SO_COOKIE.
int clinux_socket_cookie(int socket, uint64_t *cookie);
/// Lets the kernel refuse passed descriptors: SO_PASSRIGHTS, Linux 6.16. Accepted sockets inherit it.
int clinux_refuse_passed_descriptors(int socket);

/// A socket that becomes readable when an interface, an address or a route of the machine changes: rtnetlink(7).
/// Close-on-exec, non-blocking.
int clinux_network_changes(void);

/// Leaves no core dump of this process, and lets no other process of the user read its memory: prctl(2),
/// PR_SET_DUMPABLE.
int clinux_refuse_dumps(void);

/// Takes an exclusive lock if nobody has it: flock(2), LOCK_EX | LOCK_NB.
int clinux_lock(int descriptor);
/// Close-on-exec and sealable: memfd_create(2).
int clinux_memfd_create(const char *name);

/// Sends one byte together with a descriptor: SCM_RIGHTS.
int clinux_send_descriptor(int socket, uint8_t byte, int descriptor);
