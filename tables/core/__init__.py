"""What every act uses: the table's context, reads, permissions, alerts, duty."""
