"""The JSON Schemas of documents that come with the package."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parents[1] / "schemas"


def kinds() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.json"))


def packaged(kind: str) -> str:
    """The text of the schema; raises KeyError for an unknown kind."""
    if kind not in kinds():
        raise KeyError(kind)
    return (_FOLDER / f"{kind}.json").read_text(encoding="utf-8")
