"""Starts programs, supervises them within limits, and ends them with all their descendants."""
