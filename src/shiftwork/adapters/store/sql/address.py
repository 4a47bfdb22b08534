"""Checks database addresses. Messages leave out the address, because it may contain a password."""

from shiftwork.adapters.store.sql.dialect import POSTGRES, stray


def mistake(url: str) -> str:
    """What is wrong with the address, empty if it is valid; does not connect."""
    if url.startswith(POSTGRES):
        from shiftwork.adapters.store.reader.postgres_reader import misread  # noqa: PLC0415 - a laptop never loads the driver

        return misread(url)
    return stray(url)
