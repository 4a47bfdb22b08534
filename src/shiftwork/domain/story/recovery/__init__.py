"""How a story continues after a failure: retries, repairs, rate limits, withdrawal."""
