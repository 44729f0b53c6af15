import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0016_cases"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="slip",
            name="review_due_at",
            field=models.DateTimeField(blank=True, help_text="null: it needs no review", null=True),
        ),
        migrations.AddField(
            model_name="slip",
            name="review_comes_first",
            field=models.BooleanField(default=False, help_text="no money moves before its review"),
        ),
        migrations.AddField(
            model_name="slip",
            name="reviewed_seq",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="slip",
            name="reviewed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="slip",
            name="reviewed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="review_verdict",
            field=models.CharField(
                blank=True, choices=[("agrees", "agrees"), ("differs", "differs")], max_length=8
            ),
        ),
        migrations.AddField(
            model_name="slip",
            name="review_reason",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddConstraint(
            model_name="slip",
            constraint=models.CheckConstraint(
                condition=models.Q(("review_verdict__in", ["", "agrees", "differs"])),
                name="slip_verdict_is_known",
            ),
        ),
        migrations.AddIndex(
            model_name="slip",
            index=models.Index(
                condition=models.Q(("review_due_at__isnull", False), ("reviewed_at__isnull", True)),
                fields=["review_due_at"],
                name="slip_waiting_for_review",
            ),
        ),
    ]
