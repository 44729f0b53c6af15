"""What a bundle says first to whoever opens it."""

README = """\
EVIDENCE BUNDLE: how to check it

What it is
  record.jsonl    the entries of the record in a range of time, one a line, each chained to the one before it
  beyond.jsonl    entries beside the range, up to what was sealed; they show that nothing is missing at its ends
  seals.jsonl     the seals of that time: which head each stream had, second by second
  checkpoint.txt  the signed state of the log of seals, with the signatures of witnesses
  keys.txt        the keys as the house names them
  manifest.json   every file with its size and SHA-256, the range, and what is not sealed yet
  FORMAT.md       all of this to the byte, enough to write a checker of your own
  verify.py       a checker; witness.py is the program that a witness runs
  A bundle of a record that was never sealed has no seals.jsonl and no checkpoint.txt.

How to check it
  1. Take verify.py from somewhere that you trust. The one in this bundle came from whoever made the bundle.
  2. You need Python 3.9 or newer. For signatures:   pip install cryptography
  3. Run   python verify.py BUNDLE.zip      (or the name of the folder that you unpacked it into)
     The last word is the exit status: 0, every promise holds; 1, it does not, and the first bad thing is named.

What to trust
  The checker goes by the keys in keys.txt unless you give it better ones. A key that you have from elsewhere (the
  licence file, the regulator, the witness itself) is worth more:
     python verify.py --vkey KEY --witness-vkey KEY --require-signature BUNDLE.zip
  A checkpoint that you kept from before is worth most. Nobody can make a log that goes with it and tells another story:
     python verify.py --checkpoint KEPT.txt BUNDLE.zip
  Where the seals of this bundle do not reach back to yours, ask the house for a consistency proof and add
     --proof FILE
  Keep the checkpoint.txt of this bundle for the next time.

What it cannot show
  That what was entered was true: for that there are cameras, and the two people who sign. That entries which are not
  sealed yet will stay: the checker counts them.
"""
