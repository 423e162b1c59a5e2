#pragma once
// libsystemd. Functions return a negative errno on failure.

#include <sys/uio.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

/// The name that the program was started by, without its directory.
const char *csystemd_program_name(void);
