"""The fingerprint of a seeded play: proof that a change of the code changes no format.

    python -m script.fingerprint play OUT [--short]    play, and write all output to the folder OUT
    python -m script.fingerprint compare A B           compare two such folders
    python -m script.fingerprint hashes OUT            the SHA-256 of everything without sentences, as JSON
    python -m script.fingerprint types OUT             which documented entry types the play reaches

The play seeds the demo floor, deals every game at its tables through the same URLs as the tablets, acts on dice,
equipment, staff, in the rules office and at the compliance desk, and writes each answer, snapshot and entry to a file.
Time and randomness are fixed, so the same code gives the same bytes. To compare with an older version, copy only this
folder into its `script/` and play there. `Product` of `installation.py` alone knows names that differ between versions.

`compare` requires equal bytes, with two exceptions, which it lists for a person to read: sentences in snapshots and
answers, and the text of pages. In an evidence bundle, `schemas.json` may be new and the instructions may differ.
"""
