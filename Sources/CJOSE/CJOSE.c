#include "CJOSE.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
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

typedef struct {
    uint8_t *bytes;
    size_t count;
} number;

/// A number of a key, big-endian; without bytes where the key does not have it.
static number take(const EVP_PKEY *key, const char *name) {
    number taken = {NULL, 0};
    BIGNUM *value = NULL;
    if (EVP_PKEY_get_bn_param(key, name, &value) != 1) return taken;
    size_t count = (size_t)BN_num_bytes(value);
    taken.bytes = malloc(count + 1);
    if (taken.bytes != NULL) taken.count = (size_t)BN_bn2bin(value, taken.bytes);
    BN_clear_free(value);
    return taken;
}

static void wipe(number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (numbers[i].bytes != NULL) OPENSSL_cleanse(numbers[i].bytes, numbers[i].count);
        free(numbers[i].bytes);
    }
}

static cjose_jwk_t *rsa_key(const EVP_PKEY *key) {
    static const char *names[] = {
        OSSL_PKEY_PARAM_RSA_E,         OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_D,
        OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    number n[8];
    for (size_t i = 0; i < 8; i++) n[i] = take(key, names[i]);
    cjose_jwk_rsa_keyspec spec = {
        n[0].bytes, n[0].count, n[1].bytes, n[1].count, n[2].bytes, n[2].count, n[3].bytes, n[3].count,
        n[4].bytes, n[4].count, n[5].bytes, n[5].count, n[6].bytes, n[6].count, n[7].bytes, n[7].count};
    cjose_err error;
    cjose_jwk_t *made = n[2].bytes == NULL ? NULL : cjose_jwk_create_RSA_spec(&spec, &error);
    wipe(n, 8);
    return made;
}

static cjose_jwk_t *ec_key(const EVP_PKEY *key) {
    char group[64] = "";
    if (EVP_PKEY_get_group_name(key, group, sizeof group, NULL) != 1) return NULL;
    int curve = OBJ_txt2nid(group);
    if (curve != CJOSE_JWK_EC_P_256 && curve != CJOSE_JWK_EC_P_384 && curve != CJOSE_JWK_EC_P_521) return NULL;
    number n[3] = {
        take(key, OSSL_PKEY_PARAM_PRIV_KEY), take(key, OSSL_PKEY_PARAM_EC_PUB_X), take(key, OSSL_PKEY_PARAM_EC_PUB_Y)};
    cjose_jwk_ec_keyspec spec = {
        (cjose_jwk_ec_curve)curve, n[0].bytes, n[0].count, n[1].bytes, n[1].count, n[2].bytes, n[2].count};
    cjose_err error;
    cjose_jwk_t *made = n[0].bytes == NULL ? NULL : cjose_jwk_create_EC_spec(&spec, &error);
    wipe(n, 3);
    return made;
}

/// Without this, OpenSSL asks at the terminal.
static int no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

cjose_jwk_t *scene_jwk_from_pem(const char *pem, size_t count) {
    BIO *text = count > 0 && count <= 1 << 20 ? BIO_new_mem_buf(pem, (int)count) : NULL;
    EVP_PKEY *key = text == NULL ? NULL : PEM_read_bio_PrivateKey(text, NULL, no_passphrase, NULL);
    cjose_jwk_t *made = NULL;
    if (key != NULL && EVP_PKEY_is_a(key, "RSA")) made = rsa_key(key);
    if (key != NULL && EVP_PKEY_is_a(key, "EC")) made = ec_key(key);
    EVP_PKEY_free(key);
    BIO_free(text);
    ERR_clear_error();
    return made;
}

char *scene_jws_sign(
    const cjose_jwk_t *key, const char *algorithm, const char *key_id, const uint8_t *payload, size_t count) {
    cjose_err error;
    cjose_header_t *header = cjose_header_new(&error);
    bool ready = header != NULL && cjose_header_set(header, CJOSE_HDR_ALG, algorithm, &error)
                 && cjose_header_set(header, "typ", "JWT", &error)
                 && (key_id == NULL || cjose_header_set(header, CJOSE_HDR_KID, key_id, &error));
    cjose_jws_t *jws = ready ? cjose_jws_sign(key, header, payload, count, &error) : NULL;
    const char *compact = NULL;
    char *copy = jws != NULL && cjose_jws_export(jws, &compact, &error) ? strdup(compact) : NULL;
    if (jws != NULL) cjose_jws_release(jws);
    cjose_header_release(header);
    ERR_clear_error();
    return copy;
}
