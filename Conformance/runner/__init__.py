"""Runs the vectors against implementations by the line protocol of ../README.md."""
