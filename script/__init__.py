"""Tools for developers: environment, locks, demo server, checks and benchmarks."""
