"""Settings: base for all, then local (the embedded default), production and test."""
