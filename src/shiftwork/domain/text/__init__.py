"""Rules about text and file names: excerpts, patches, file types, patterns."""
