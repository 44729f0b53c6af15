"""A security key in software: it answers the options of a ceremony as a browser encodes them (WebAuthn, ES256)."""

import hashlib
import json
import secrets
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode

USER_PRESENT, HAS_CREDENTIAL = 0x01, 0x40


class SoftwareKey:
    """One key with one credential. `counter` is that of its answers."""

    def __init__(self, origin: str = "https://testserver", host: str = "testserver") -> None:
        self.origin, self.host, self.counter = origin, host, 0
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(32)

    def register(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to the options of a registration."""
        public = cbor.encode(ES256.from_cryptography_key(self.private.public_key()))
        credential = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + public
        data = self._data(HAS_CREDENTIAL) + credential
        attestation = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options)
        return self._answer({"clientDataJSON": client, "attestationObject": attestation})

    def sign(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to the options of an authentication."""
        allowed = [websafe_decode(row["id"]) for row in options["publicKey"]["allowCredentials"]]
        assert self.id in allowed
        self.counter += 1
        data, client = self._data(), self._client("webauthn.get", options)
        signature = self.private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer({"clientDataJSON": client, "authenticatorData": data, "signature": signature})

    def _data(self, flags: int = 0) -> bytes:
        digest = hashlib.sha256(self.host.encode()).digest()
        return digest + bytes([USER_PRESENT | flags]) + self.counter.to_bytes(4, "big")

    def _client(self, kind: str, options: dict[str, Any]) -> bytes:
        challenge = options["publicKey"]["challenge"]
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, response: dict[str, bytes]) -> dict[str, Any]:
        encoded = {name: websafe_encode(value) for name, value in response.items()}
        key_id = websafe_encode(self.id)
        return {"id": key_id, "rawId": key_id, "type": "public-key", "response": encoded}
