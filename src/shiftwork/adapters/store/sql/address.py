"""What keeps a text from being the address of a database. Said without the text: it may hold a password."""

from shiftwork.adapters.store.sql.dialect import POSTGRES, stray


def mistake(url: str) -> str:
    """What is wrong with it, empty where nothing is; whether a database is there is not asked."""
    if url.startswith(POSTGRES):
        from shiftwork.adapters.store.reader.postgres_reader import misread  # noqa: PLC0415 - a laptop never loads the driver

        return misread(url)
    return stray(url)
