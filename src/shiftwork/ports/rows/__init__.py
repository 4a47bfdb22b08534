"""What view rows are made of: parts that several rows share, and their flat columns."""
