"""Create the indexes that pages need and drop duplicates: every entry and seal must update each index."""

from django.db import migrations, models
from django.db.models import PROTECT, ForeignKey, Q

from audit.indexes import WithoutIndex

LEFT_OUT = (
    ("checkpoint", "incarnation", "checkpoints"),
    ("cosignature", "checkpoint", "cosignatures"),
    ("entry", "stream", "entries"),
    ("node", "incarnation", "nodes"),
    ("seal", "incarnation", "seals"),
    ("sealedhead", "seal", "heads"),
    ("sealedhead", "stream", "sealed"),
)


class Migration(migrations.Migration):
    dependencies = (("audit", "0006_seals_stay"),)

    operations = (
        *(
            WithoutIndex(model, to, ForeignKey(f"audit.{to}", PROTECT, related_name=related, db_index=False))
            for model, to, related in LEFT_OUT
        ),
        migrations.AddIndex(
            "cosignature", models.Index(fields=("name", "checkpoint"), name="audit_cosignature_newest")
        ),
        migrations.AddIndex(
            "seal",
            models.Index(fields=("incarnation", "number"), condition=Q(full=True), name="audit_seal_full"),
        ),
    )
