"""Tokens in a copied repository: they belong to the original."""

import shutil
from pathlib import Path

import pytest

from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import find_site, open_state
from shiftwork.entrypoints.cli.hosting.token_fields import own_tokens, revoked_token
from shiftwork.errors import StateError
from shiftwork.testing.git_user import new_user


def test_a_copy_neither_lists_nor_revokes_the_tokens_of_the_original(tmp_path: Path) -> None:
    user = new_user(tmp_path)
    env = {**user.env, "SHIFTWORK_STATE_HOME": str(tmp_path / "state"), "SHIFTWORK_CACHE_HOME": str(tmp_path / "cache")}
    site = find_site(user.root, env)
    open_state(site)
    token, _ = Tokens(site.state).create(Role.ADMIN, "laptop", 1.0)
    shutil.copytree(user.root, tmp_path / "copy")
    copy = find_site(tmp_path / "copy", env)
    assert own_tokens(site) == (token,)
    assert own_tokens(copy) == ()
    with pytest.raises(StateError) as refused:
        revoked_token(copy, token.id)
    assert "shiftwork adopt" in refused.value.hint
    assert revoked_token(site, "laptop") == token
