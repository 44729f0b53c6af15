"""A policy of the record's logs and witnesses, for programs of others that check checkpoints (c2sp.org/tlog-policy)."""

from collections.abc import Iterable

from audit.sealing import keys, witnesses
from audit.sealing.log import Log

GROUP = "witnesses"


def policy_of(logs: Iterable[Log]) -> str:
    """The policy's text: a line for each active key of these logs, and for each witness, all of which must cosign.

    A log that only keys from before sign cannot be in a policy, which knows a log by the name of its key: a comment
    says so. Raises ImproperlyConfigured for malformed witnesses.
    """
    lines = []
    for log in logs:
        own = [keys.verifier_of(key).vkey for key in keys.keys_signing(log) if key.name == log.origin]
        lines += [f"log {vkey}" for vkey in own] or [
            f"# {log.origin} has no key of its own yet: manage.py sealer_key rotate"
        ]
    named: dict[str, witnesses.Witness] = {}
    for number, witness in enumerate(witnesses.configured(), 1):
        is_taken = witness.name in ("none", GROUP, *named)
        named[f"{witness.name}-{number}" if is_taken else witness.name] = witness
    lines += [f"witness {name} {witness.verifier.vkey} {witness.url}" for name, witness in named.items()]
    if len(named) > 1:
        lines.append(f"group {GROUP} all {' '.join(named)}")
    lines.append(f"quorum {GROUP if len(named) > 1 else next(iter(named), 'none')}")
    return "".join(f"{line}\n" for line in lines)
