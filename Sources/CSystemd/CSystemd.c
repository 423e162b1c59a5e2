#define _GNU_SOURCE
#include "CSystemd.h"

#include <errno.h>

const char *csystemd_program_name(void) {
    return program_invocation_short_name;
}
