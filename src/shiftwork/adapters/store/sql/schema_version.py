"""The version of the schema that this release uses, and where a database records its own. Loads no driver."""

from typing import Final

HEAD: Final = "0023"
"""The newest migration."""

# Our own name: a Postgres database may be shared with other programs that use alembic.
VERSION_TABLE: Final = "shiftwork_schema"
