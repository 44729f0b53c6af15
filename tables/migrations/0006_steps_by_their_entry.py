"""The steps of dice lots by the entry that tells them, and no index twice."""

from django.db import migrations, models
from django.db.models import PROTECT, ForeignKey

from audit.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = (("audit", "0007_indexes_that_are_asked"), ("tables", "0005_slips_and_halts"))

    operations = (
        WithoutIndex(
            "lotstep", "lot", ForeignKey("tables.dicelot", PROTECT, related_name="steps", db_index=False)
        ),
        WithoutIndex(
            "lotstep", "stream", ForeignKey("audit.stream", PROTECT, related_name="+", db_index=False)
        ),
        migrations.AddIndex("lotstep", models.Index(fields=("stream", "seq"), name="step_by_entry")),
    )
