"""Players who asked to be rated, and their ratings. Nobody else is known to Pitside: a seat is a number."""

from django.db import models
from django.db.models import Q


class Player(models.Model):
    """A rated player, by a random code. The record names the code alone; personal data are in `PlayerDetails`."""

    class Exclusion(models.TextChoices):
        SELF = "self", "own request"
        LIST = "list", "list of the regulator"
        HOUSE = "house", "decision of the casino"
        AGE = "age", "under age"

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="players")
    code = models.CharField(max_length=12)
    added_at = models.DateTimeField()
    exclusion = models.CharField(
        max_length=8, blank=True, choices=Exclusion, help_text="why nobody may seat the player; else empty"
    )
    merged_into = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="merged",
        help_text="the same person's other code",
    )
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "code"]
        constraints = [models.UniqueConstraint(fields=["facility", "code"], name="player_code_is_unique")]

    def __str__(self) -> str:
        return self.code


class PlayerDetails(models.Model):
    """The personal data of a player: a row that is deleted when they are erased.

    `salt` goes into the keyed hash on the record (`tables.players.register`). Without it nobody can tell whose hash
    it is, not even with the server's key.
    """

    player = models.OneToOneField(Player, models.CASCADE, related_name="details")
    name = models.CharField(max_length=80)
    card = models.CharField(max_length=30, blank=True, help_text="number of the club card")
    salt = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"details of {self.player_id}"


class Rating(models.Model):
    """A player at a seat, from one round to another. A round of a seat belongs to one rating at most."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="ratings")
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="ratings")
    seat = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    first_round = models.PositiveIntegerField(help_text="number of the first round that counts")
    last_round = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of the last round that counts; null while it runs"
    )
    moved_from = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="moved_to", help_text="the seat before"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "seat"], condition=Q(ended_at=None), name="one_open_rating_a_seat"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, last_round=None)
                | Q(ended_at__isnull=False, last_round__isnull=False),
                name="rating_ends_with_its_last_round",
            ),
        ]

    def __str__(self) -> str:
        return f"rating {self.pk} at seat {self.seat}"
