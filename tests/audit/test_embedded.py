"""The sealer inside the one process of the embedded default: begins with the server, ends with it, makes its key."""

import asyncio
import logging
from pathlib import Path

import pytest
from channels.db import database_sync_to_async
from django.core.exceptions import ImproperlyConfigured

from audit import notes
from audit.models import Checkpoint, Entry, Incarnation, Node, Seal, SealedHead, SigningKey, Stream
from audit.sealing import state
from audit.sealing.process import create_first_key, with_sealer
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem

from .gone_back import rewind

pytestmark = pytest.mark.both_databases


@pytest.mark.django_db(transaction=True)
async def test_it_seals_while_the_server_runs_and_stops_with_it(folder):
    begun, ending = asyncio.Event(), asyncio.Event()

    async def serving(scope, receive, send):
        begun.set()
        await ending.wait()

    application = with_sealer(serving)
    server = asyncio.ensure_future(application({"type": "lifespan"}, None, None))
    await begun.wait()
    for _ in range(400):
        if await database_sync_to_async(Checkpoint.objects.count)():
            break
        await asyncio.sleep(0.05)
    ending.set()
    await server
    assert await database_sync_to_async(Checkpoint.objects.count)() == 1
    assert await database_sync_to_async(SigningKey.objects.count)() == 1
    assert (await database_sync_to_async(state.read)(folder)).size == 1


@pytest.mark.django_db
def test_the_first_start_makes_the_first_key_and_later_ones_make_none(folder):
    create_first_key(folder)
    create_first_key(folder)
    assert SigningKey.objects.count() == 1
    assert Sealer(folder).seal().size == 1


@pytest.mark.django_db
@pytest.mark.parametrize("demo", [True, False])
def test_a_new_demo_is_sealed_from_the_start_and_a_real_record_is_not(folder, settings, caplog, demo):
    settings.DEMO = demo
    create_first_key(folder)
    old = state_after_one_second(folder)
    rewind_all()
    with caplog.at_level(logging.CRITICAL):
        create_first_key(folder)
    if demo:
        assert Sealer(folder).seal().size == 1
        (aside,) = folder.glob("before-*")
        assert state.read(aside) == old
        assert len(list((aside / "keys").iterdir())) == 1
    else:
        with pytest.raises(SealingProblem) as raised:
            Sealer(folder).seal()
        assert raised.value.code == "record-went-back"
        assert not SigningKey.objects.exists()


def state_after_one_second(folder: Path) -> state.State:
    Sealer(folder).seal()
    held = state.read(folder)
    assert held is not None
    return held


def rewind_all() -> None:
    models = (Checkpoint, SealedHead, Seal, Node, Incarnation, SigningKey, Entry, Stream)
    rewind(*[model.objects.all() for model in models])


def test_a_server_with_a_forbidden_witness_does_not_start(settings):
    vkey = notes.Signer("witness.example/w1", b"w" * 32, notes.COSIGNATURE).verifier.vkey
    settings.WITNESSES = f"http://witness:8700 {vkey}"
    with pytest.raises(ImproperlyConfigured, match="PITSIDE_WITNESSES_WITHOUT_TLS"):
        with_sealer(None)
