"""The only reader of the environment and of settings files: `site` is quick, `settings` is thorough."""
