"""Test support that ships with the product: builders, conformance suites, simulations, a scripted model server."""
