"""The papers that the office prints."""
