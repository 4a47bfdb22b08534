"""Front ends: each talks to `app.commands` and `app.queries` alone."""
