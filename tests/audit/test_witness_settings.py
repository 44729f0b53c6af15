"""PITSIDE_WITNESSES: who is asked, by which address, and with which key."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from audit import notes
from audit.sealing import witnesses


def test_the_settings_name_witnesses_by_address_and_key(settings, signer):
    vkey = signer.verifier.vkey
    settings.WITNESSES = f" https://w.example/x/ {vkey} ; http://127.0.0.1:8700 {vkey};"
    assert [one.url for one in witnesses.configured()] == ["https://w.example/x", "http://127.0.0.1:8700"]
    log_key = notes.Signer("log", b"1" * 32).verifier.vkey
    for wrong in (
        "https://w.example",
        f"https://w.example {log_key}",
        f"file:///etc {vkey}",
        vkey,
        f"https:// {vkey}",
    ):
        settings.WITNESSES = wrong
        with pytest.raises(ImproperlyConfigured):
            witnesses.configured()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "[::1]", "localhost", "LOCALHOST"])
def test_a_witness_of_the_same_machine_needs_no_tls(settings, signer, host):
    settings.WITNESSES = f"http://{host}:8700 {signer.verifier.vkey}"
    assert len(witnesses.configured()) == 1


@pytest.mark.parametrize(
    "host",
    ["10.0.0.7", "witness", "w.example", "127.0.0.1@w.example", "localhost.w.example", "[::2]", "0.0.0.0"],
)
def test_a_witness_over_a_network_needs_tls_or_a_named_exception(settings, signer, host):
    settings.WITNESSES = f"http://{host}:8700/ {signer.verifier.vkey}"
    with pytest.raises(ImproperlyConfigured, match="has no TLS, so any machine") as raised:
        witnesses.configured()
    named = str(raised.value).partition("or name ")[2].partition(" in PITSIDE_WITNESSES_WITHOUT_TLS")[0]
    settings.WITNESSES_WITHOUT_TLS = ["another", named]
    assert len(witnesses.configured()) == 1
