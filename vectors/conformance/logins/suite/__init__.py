"""Tests of the second factor of a running server, through the adapters of ../README.md."""
