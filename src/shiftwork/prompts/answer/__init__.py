"""Understands what agents answer."""
