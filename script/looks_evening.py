"""The floor of the pictures of an evening of forty tables in docs/looks.md, which `manage.py simulate --live` plays."""

from script.screenshots import Floor

SUBMISSIONS = "RS-0009,RS-0012,RS-0021,RS-0022,RS-0031,RS-0003"
TABLES, HOURS = 40, 1


class ManyTables(Floor):
    """A demo floor with an evening of many tables behind it."""

    def play(self) -> None:
        from django.core.management import call_command

        from tables.dice_watch.counting import count_dice

        options = {"tables": TABLES, "hours": HOURS, "submission": SUBMISSIONS, "seed": 40}
        call_command("simulate", live=True, **options)
        call_command("figures_rollup", verbosity=0)
        count_dice()
