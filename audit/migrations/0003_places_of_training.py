from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the columns in place: a table with guards is never copied."""

    dependencies = [
        ("audit", "0002_refuse_rewriting"),
    ]

    operations = [
        migrations.AddField(
            model_name="device",
            name="heard_at",
            field=models.DateTimeField(
                blank=True, help_text="When its screen last had a live line.", null=True
            ),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE audit_stream ADD COLUMN real_play boolean NOT NULL DEFAULT true",
                    "ALTER TABLE audit_stream DROP COLUMN real_play",
                )
            ],
            state_operations=[
                migrations.AddField(
                    model_name="stream", name="real_play", field=models.BooleanField(default=True)
                )
            ],
        ),
    ]
