"""JOSE as a login host makes and checks it, faults included: keys, JWKs, signatures (RFC 7515, 7517, 7518, 8037)."""

import base64
import hashlib
import hmac
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

HASHES = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}
CURVES = {"ES256": ("P-256", ec.SECP256R1, 32), "ES384": ("P-384", ec.SECP384R1, 48),
          "ES512": ("P-521", ec.SECP521R1, 66)}


def b64(data):
    if isinstance(data, str):
        data = data.encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(value, size=None):
    return b64(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


class Key:
    """A private key for one algorithm."""

    def __init__(self, algorithm="RS256", kid="k"):
        self.algorithm, self.kid = algorithm, kid
        if algorithm[:2] in ("RS", "PS"):
            self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        elif algorithm[:2] == "ES":
            self.private = ec.generate_private_key(CURVES[algorithm][1]())
        else:
            self.private = ed25519.Ed25519PrivateKey.generate()

    def jwk(self, **members):
        """The public key; members that are None are left out."""
        public = self.private.public_key()
        if isinstance(public, rsa.RSAPublicKey):
            numbers = public.public_numbers()
            key = {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        elif isinstance(public, ec.EllipticCurvePublicKey):
            numbers, (curve, _, size) = public.public_numbers(), CURVES[self.algorithm]
            key = {"kty": "EC", "crv": curve, "x": number(numbers.x, size), "y": number(numbers.y, size)}
        else:
            key = {"kty": "OKP", "crv": "Ed25519", "x": b64(public.public_bytes_raw())}
        key |= {"use": "sig", "alg": self.algorithm, "kid": self.kid, **members}
        return {name: value for name, value in key.items() if value is not None}

    def private_jwk(self):
        numbers = self.private.private_numbers()
        if isinstance(self.private, rsa.RSAPrivateKey):
            more = {"d": numbers.d, "p": numbers.p, "q": numbers.q, "dp": numbers.dmp1, "dq": numbers.dmq1,
                    "qi": numbers.iqmp}
            return {**self.jwk(), **{name: number(value) for name, value in more.items()}}
        return {**self.jwk(), "d": number(numbers.private_value, CURVES[self.algorithm][2])}

    def pem(self, form=serialization.PrivateFormat.PKCS8, password=None):
        encryption = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        return self.private.private_bytes(serialization.Encoding.PEM, form, encryption)

    def public_pem(self):
        return self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(self, data):
        kind, digest = self.algorithm[:2], HASHES.get(self.algorithm[2:])
        if kind == "RS":
            return self.private.sign(data, padding.PKCS1v15(), digest())
        if kind == "PS":
            return self.private.sign(data, self._pss(), digest())
        if kind == "ES":
            r, s = utils.decode_dss_signature(self.private.sign(data, ec.ECDSA(digest())))
            size = CURVES[self.algorithm][2]
            return r.to_bytes(size, "big") + s.to_bytes(size, "big")
        return self.private.sign(data)

    def _pss(self):
        digest = HASHES[self.algorithm[2:]]()
        return padding.PSS(padding.MGF1(digest), digest.digest_size)

    def verify(self, token):
        """The header and the claims of a JWT that this key has signed."""
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(unb64(part)) for part in signed.split("."))
        assert header["alg"] == self.algorithm, header
        public, data, signature = self.private.public_key(), signed.encode(), unb64(signature)
        digest = HASHES.get(self.algorithm[2:])
        try:
            if self.algorithm[:2] == "RS":
                public.verify(signature, data, padding.PKCS1v15(), digest())
            elif self.algorithm[:2] == "PS":
                public.verify(signature, data, self._pss(), digest())
            else:
                half = len(signature) // 2
                numbers = (int.from_bytes(part, "big") for part in (signature[:half], signature[half:]))
                public.verify(utils.encode_dss_signature(*numbers), data, ec.ECDSA(digest()))
        except InvalidSignature:
            raise AssertionError("the signature does not fit") from None
        return header, claims


def at_hash(access_token, algorithm):
    digest = hashlib.new("sha" + (algorithm[2:] if algorithm[2:] in HASHES else "512"), access_token.encode()).digest()
    return b64(digest[: len(digest) // 2])


def token(header, claims, sign):
    """A JWT; `claims` is a dict, or JSON as it is."""
    claims = claims if isinstance(claims, str) else json.dumps(claims)
    signed = b64(json.dumps(header)) + "." + b64(claims)
    return signed + "." + b64(sign(signed.encode()))


def mac(secret):
    return lambda data: hmac.new(secret, data, hashlib.sha256).digest()
