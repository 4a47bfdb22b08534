"""What migrations do to a schema, on both kinds of database; the operations have the names that alembic gives them."""

from typing import Any

import sqlalchemy as sa


class Operations:
    """Changes the schema in the transaction of a connection."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._quoted = connection.dialect.identifier_preparer.quote

    def get_bind(self) -> sa.Connection:
        return self._connection

    def execute(self, statement: sa.Executable) -> None:
        self._connection.execute(statement)

    def create_table(self, name: str, *items: sa.schema.SchemaItem, **options: Any) -> None:
        sa.Table(name, sa.MetaData(), *items, **options).create(self._connection)

    def rename_table(self, name: str, new_name: str) -> None:
        self._alter(name, f"RENAME TO {self._quoted(new_name)}")

    def add_column(self, table: str, column: sa.Column[Any]) -> None:
        sa.Table(table, sa.MetaData(), column)  # a column's type is only spelt out as part of a table
        self._alter(table, f"ADD COLUMN {sa.schema.CreateColumn(column).compile(dialect=self._connection.dialect)}")

    def rename_column(self, table: str, name: str, new_name: str) -> None:
        self._alter(table, f"RENAME COLUMN {self._quoted(name)} TO {self._quoted(new_name)}")

    def create_index(self, name: str, table: str, columns: list[str | sa.TextClause], **options: Any) -> None:
        """Columns are names, or texts such as `started_at DESC`."""
        of = sa.Table(table, sa.MetaData(), *(sa.Column(column) for column in columns if isinstance(column, str)))
        parts = (of.c[column] if isinstance(column, str) else column for column in columns)
        sa.Index(name, *parts, _table=of, **options).create(self._connection)

    def drop_index(self, name: str, table: str) -> None:
        sa.Index(name, _table=sa.Table(table, sa.MetaData())).drop(self._connection)

    def _alter(self, table: str, change: str) -> None:
        self._connection.exec_driver_sql(f"ALTER TABLE {self._quoted(table)} {change}")
