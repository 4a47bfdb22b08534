"""The demo: a run with a scripted agent."""
