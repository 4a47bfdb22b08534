"""Shipped with the product: builders, conformance suites, simulations, a scripted model server."""
