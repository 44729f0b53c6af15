import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0012_wall_station"),
    ]

    operations = [
        migrations.AddField(
            model_name="person",
            name="badge",
            field=models.CharField(
                blank=True,
                default="",
                max_length=6,
                validators=[
                    django.core.validators.RegexValidator(
                        "^[0-9]{1,6}\\Z", "A badge number has at most six digits."
                    )
                ],
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="person",
            name="licence_ends_on",
            field=models.DateField(
                blank=True, help_text="The last day on which the license is in effect.", null=True
            ),
        ),
        migrations.AddField(
            model_name="person",
            name="pin_must_change",
            field=models.BooleanField(
                default=False, help_text="The PIN is a one-time PIN: the next sign-in asks for another."
            ),
        ),
        migrations.AddField(
            model_name="person",
            name="pin_ends_at",
            field=models.DateTimeField(
                blank=True, help_text="Until when a one-time PIN is accepted.", null=True
            ),
        ),
        migrations.AddConstraint(
            model_name="person",
            constraint=models.UniqueConstraint(
                condition=models.Q(("badge", ""), _negated=True),
                fields=("facility", "badge"),
                name="audit_person_badge",
            ),
        ),
    ]
