#pragma once
#include <sqlite3.h>
#include <stddef.h>

// Typed functions for what is variadic or a macro in sqlite3.h.

/// The file that is open is no longer the one at its path.
static const int csqlite_readonly_moved = SQLITE_READONLY_DBMOVED;

/// Sets one of the SQLITE_DBCONFIG_ options that take an int and report an int. sqlite3_db_config
int csqlite_set_option(sqlite3 *database, int option, int value);

/// Binds a copy of the bytes as text in UTF-8. sqlite3_bind_text64, SQLITE_TRANSIENT
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t count);

/// Binds a copy of the bytes; `bytes` may be NULL where `count` is 0. sqlite3_bind_blob64, SQLITE_TRANSIENT
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count);

/// Whether the file that is open is no longer the one at its path. sqlite3_file_control, SQLITE_FCNTL_HAS_MOVED
int csqlite_has_moved(sqlite3 *database);
