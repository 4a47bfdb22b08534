"""Which files belong to a user interface in a browser, by their path alone."""

import pytest

from shiftwork.domain.text.file_types import is_frontend

SHOWN = ("index.html", "a/Style.CSS", "src/App.tsx", "app/views/show.html.erb", "ui/Button.vue", "web/main.ts")
NOT_SHOWN = ("server.py", "src/api.ts", "README.md", "html", "css/notes.txt", "website/deploy.py", "package.json")


@pytest.mark.parametrize("path", [*SHOWN, "public/logo.svg", "packages/client/src/store.js"])
def test_pages_styles_and_components_are(path: str) -> None:
    assert is_frontend(path)


@pytest.mark.parametrize("path", NOT_SHOWN)
def test_everything_else_is_not(path: str) -> None:
    assert not is_frontend(path)
