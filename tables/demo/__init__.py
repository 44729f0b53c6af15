"""The demo floor, its seeding, and simulated play."""
