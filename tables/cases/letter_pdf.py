"""A letter to a patron as a PDF: US Letter, black on white, and the same bytes for the same letter."""

from collections.abc import Iterator

from reportlab.platypus import Flowable, KeepTogether, Spacer

from games.engine.odds import in_dollars
from games.kit.paper import Cell, render, styles, table, text
from tables.cases.letter_paper import LetterPaper

NO_BREAK = "\u00a0"


def letter_pdf(paper: LetterPaper) -> bytes:
    """The PDF of a signed letter."""
    look, letter = styles(), paper.letter
    story: list[Flowable] = [
        text(letter.addressee, look["body"]),
        Spacer(1, 6),
        text(f"{paper.date}, case {paper.case.code}", look["body"]),
        Spacer(1, 4),
        text(paper.heading, look["title"]),
        text(paper.says, look["body"]),
        text("What we found", look["heading"]),
        text(letter.findings, look["body"]),
        *([text(paper.camera, look["body"])] if paper.camera else []),
        KeepTogether(
            [
                text("Our decision", look["heading"]),
                text(paper.decision, look["body"]),
                text(letter.reason, look["body"]),
            ]
        ),
        *_round(paper),
        *_signatures(paper),
    ]
    return render(
        story,
        title=paper.title,
        facility_name=paper.case.facility.name,
        approved=f"{paper.case.code}, letter {letter.number}, signed {paper.date}",
    )


def _round(paper: LetterPaper) -> Iterator[Flowable]:
    look, facts = styles(), paper.facts
    if facts is None:
        return
    yield text("The round, from the record", look["heading"])
    yield table([["Played", "Game and rules"], [facts["played"], facts["rules"]]], (45, 55))
    yield text(" ".join(facts["dice"]) or "No dice were called.", look["body"])
    if facts["wagers"]:
        rows: list[list[Cell]] = [["Wager", "Stake", "Outcome", "Why", "Section", "Paid", "Returned"]]
        rows += [
            [
                text(wager["label"], look["strong"]), in_dollars(wager["stake_cents"]), wager["outcome"], wager["why"],
                wager["section"].replace(" ", NO_BREAK), in_dollars(wager["paid_cents"]),
                in_dollars(wager["returned_cents"]),
            ]
            for wager in facts["wagers"]
        ]  # fmt: skip
        yield table(rows, (21, 10, 15, 24, 18, 11, 12), numbers=(1, 5, 6))
    for sentences in (facts["what_if"], facts["slips"]):
        if sentences:
            yield text(" ".join(sentences), look["body"])
    for cite, words in facts["sections"]:
        yield text(f"{cite}: {words}" if words else cite, look["small"])


def _signatures(paper: LetterPaper) -> Iterator[Flowable]:
    look, facts = styles(), paper.facts
    rows: list[list[Cell]] = [["Signed by", "When", "Entry", "Hash begins"]]
    rows += [
        [
            text(f"{signer.name}, {signer.role}", look["strong"]),
            signer.moment,
            f"{signer.seq:,}",
            signer.digest[:16],
        ]
        for signer in paper.signers
    ]
    about_round = (
        f" The facts of the round are those up to entry {facts['last']:,} of {facts['stream']}, whose hash is"
        f" {facts['hash']}."
        if facts
        else ""
    )
    yield KeepTogether(
        [
            text(f"Signed on the record, {paper.stream}", look["heading"]),
            table(rows, (35, 33, 10, 22), numbers=(2, 3)),
            text(
                f"The words of this letter are fixed by SHA-256 {paper.letter.sha256}, in entry {paper.letter.seq:,}"
                f" of {paper.stream}.{about_round}",
                look["small"],
            ),
        ]
    )
