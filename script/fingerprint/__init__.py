"""The fingerprint of a seeded play: proof that a change of the code changes no format.

    python -m script.fingerprint play OUT [--short]    play, and write what comes out to the folder OUT
    python -m script.fingerprint compare A B           compare two such folders
    python -m script.fingerprint hashes OUT            the SHA-256 of what no sentence may change, as JSON
    python -m script.fingerprint types OUT             which entry types of the documents the play reaches

The play seeds the demo floor, deals every game at its tables through the same addresses as the tablets, works in
every room, and writes down each answer, snapshot and entry. Time and randomness are fixed, so the same code gives
the same bytes. It runs in any checkout: copy this folder alone into `script/` of an older one, and play there, to have
something to compare with. What has another name there is looked up in `product.py`, and nowhere else.

`compare` wants every byte to be equal, with two exceptions, which it lists so that a person can read them: sentences
in snapshots and answers, and the text of pages. An evidence bundle may have new files of schemas, and other papers.
"""
