#include "CSQLite.h"

int csqlite_set_option(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    const char *text = bytes ? bytes : "";
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    if (!bytes || count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

int csqlite_has_moved(sqlite3 *database) {
    int moved = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code == SQLITE_OK && moved;
}
