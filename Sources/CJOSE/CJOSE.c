#include "CJOSE.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static bool verify(cjose_jws_t *jws, cjose_jwk_t *key, const char *algorithm, uint8_t **payload, size_t *count) {
    cjose_err error;
    cjose_header_t *header = cjose_jws_get_protected(jws);
    const char *stated = header == NULL ? NULL : cjose_header_get(header, CJOSE_HDR_ALG, &error);
    if (stated == NULL || strcmp(stated, algorithm) != 0) return false;
    if (!cjose_jws_verify(jws, key, &error)) return false;

    uint8_t *signed_bytes = NULL;
    size_t signed_count = 0;
    if (!cjose_jws_get_plaintext(jws, &signed_bytes, &signed_count, &error)) return false;
    *payload = malloc(signed_count + 1);
    if (*payload == NULL) return false;
    if (signed_count > 0) memcpy(*payload, signed_bytes, signed_count);
    *count = signed_count;
    return true;
}

bool scene_jws_verify(
    const char *jws, size_t jws_count, const char *jwk, size_t jwk_count, const char *algorithm, uint8_t **payload,
    size_t *payload_count) {
    cjose_err error;
    *payload = NULL;
    *payload_count = 0;
    cjose_jwk_t *key = cjose_jwk_import(jwk, jwk_count, &error);
    if (key == NULL) {
        ERR_clear_error();
        return false;
    }
    cjose_jws_t *token = cjose_jws_import(jws, jws_count, &error);
    bool valid = token != NULL && verify(token, key, algorithm, payload, payload_count);
    if (token != NULL) cjose_jws_release(token);
    cjose_jwk_release(key);
    ERR_clear_error(); // this thread's, lest a TLS connection takes it for its own
    return valid;
}

bool scene_sha2(int bits, const void *bytes, size_t count, uint8_t *digest) {
    const EVP_MD *kind = bits == 256   ? EVP_sha256()
                         : bits == 384 ? EVP_sha384()
                         : bits == 512 ? EVP_sha512()
                                       : NULL;
    return kind != NULL && EVP_Digest(bytes, count, digest, NULL, kind, NULL) == 1;
}
