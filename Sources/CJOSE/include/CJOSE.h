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

/// A private RSA or elliptic curve key out of PEM (PKCS#8, PKCS#1, SEC 1) without a passphrase, to be released with
/// cjose_jwk_release. NULL where the text holds none that is usable. PEM_read_bio_PrivateKey.
cjose_jwk_t *scene_jwk_from_pem(const char *pem, size_t count);

/// Signs a payload as a compact JWS with `alg`, `kid` (unless NULL) and `typ` JWT in its header. NULL where the key does
/// not fit the algorithm; else to be freed by the caller. cjose_jws_sign.
char *scene_jws_sign(
    const cjose_jwk_t *key, const char *algorithm, const char *key_id, const uint8_t *payload, size_t count);
