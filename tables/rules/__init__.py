"""Which rules take effect at a table, and suspended wagers of providers."""
