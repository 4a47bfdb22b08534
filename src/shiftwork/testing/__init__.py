"""What tests of this product and of its adapters stand on: suites, builders, and a model that follows a script."""
