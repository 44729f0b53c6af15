"""The README.txt of a bundle."""

README = """\
EVIDENCE BUNDLE: how to check it

What it is
  record.jsonl    the entries of the record in a range of time, one per line, each chained to the entry before it
  beyond.jsonl    entries just outside the range, up to the next sealed entry; they show that nothing is missing
  seals.jsonl     the seals of that time: which head each stream had, second by second
  checkpoint.txt  the signed state of the log of seals, with the signatures of witnesses
  keys.txt        the keys as the casino states them
  manifest.json   every file with its size and SHA-256, the range, and the entries not sealed yet
  schemas.json    a JSON Schema of each type of entry, for your own tools; the checker does not need it
  FORMAT.md       the exact format of these files, enough to write your own checker
  verify.py       a checker; witness.py is the program that a witness runs
  If the record was never sealed, there is no seals.jsonl and no checkpoint.txt.

How to check it
  1. Get verify.py from a source that you trust. Whoever made this bundle could have changed the copy in it. The
     release notes (CHANGELOG.md) and the integrity page of the casino's desk publish the SHA-256 of verify.py; so
     does manifest.json for the copy in this bundle. Run the copy only if its SHA-256 is the one in the release
     notes:   sha256sum verify.py
  2. You need Python 3.9 or newer. To check signatures:   pip install cryptography
  3. Run   python verify.py BUNDLE.zip      (or the folder that you unpacked it into)
     Exit status 0: every check passed. Exit status 1: a check failed, and the output names the first failure.
     It settles every round again by its terms, and names the first entry that pays otherwise. Lines that begin with
     NOT SETTLED or NOT CHECKED say what it could not judge, and why: "good" says nothing about these.

What to trust
  The checker uses the keys in keys.txt unless you give it others. A key from another source (the license file, the
  regulator, the witness itself) is stronger evidence:
     python verify.py --vkey KEY --witness-vkey KEY --require-signature BUNDLE.zip
  A key serves one log and has its name: ask for the line of this log's key when the log begins, and keep it. A key
  whose name does not end in a slash and a number is from before, and may have signed every log of the casino.
  A checkpoint that you saved earlier is the strongest. Nobody can make a different log that is consistent with it:
     python verify.py --checkpoint SAVED.txt BUNDLE.zip
  If the seals of this bundle do not go back as far as yours, ask the casino for a consistency proof and add
     --proof FILE
  Save the checkpoint.txt of this bundle for the next check.
  If you asked for every stream, the checker says: it states that it has every stream. A stream that was sealed and
  is not there, because it was deleted or left out, then fails the check. The checker names those of other play
  (training): ask for a bundle of these too.

What it cannot show
  Whether the dice and wagers of an entry are those that were there: cameras, and the two people who sign it, show that.
  Whether entries that are not sealed yet will stay: the checker counts them.
  Whether rounds were dealt under approved terms, if the approvals are not in this bundle: the checker counts their
  entries. Ask for every stream from the beginning of the record.
"""
