#pragma once

#include <cjose/cjose.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Checks the signature of a compact JWS (RFC 7515) with one public key in JSON (RFC 7517).
///
/// True only where the protected header's `alg` is `algorithm` and the signature fits; then `payload` is what was signed,
/// to be freed by the caller. cjose_jws_verify.
bool scene_jws_verify(
    const char *jws, size_t jws_count, const char *jwk, size_t jwk_count, const char *algorithm, uint8_t **payload,
    size_t *payload_count);

/// SHA-256, -384 or -512 of the bytes into `digest`, which has room for bits / 8; false for other sizes. EVP_Digest.
bool scene_sha2(int bits, const void *bytes, size_t count, uint8_t *digest);
