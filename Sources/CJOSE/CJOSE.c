#include "CJOSE.h"
