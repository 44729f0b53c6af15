"""Rename fields by what they hold. No row changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("tables", "0006_steps_by_their_entry"),)

    operations = (
        migrations.RenameField("table", "told_rules", "recorded_rules_key"),
        migrations.RenameField("table", "told_signs", "recorded_sign_ids"),
        migrations.RenameField("slip", "moved", "handed_over"),
        migrations.RenameField("inspection", "at", "inspected_at"),
        migrations.AlterModelOptions("inspection", options={"ordering": ["table", "-inspected_at"]}),
        migrations.RenameField("dicelot", "colours", "colors"),
    )
