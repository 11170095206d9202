"""Runs the vectors on implementations, through the line protocol of ../README.md."""
