"""Whether a gate notices that the product is broken on purpose."""
