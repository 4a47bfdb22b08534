"""The process that ends programs when their orchestrator dies."""
