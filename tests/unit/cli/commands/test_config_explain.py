"""`config explain` of a table lists its settings."""

from click.testing import CliRunner

from shiftwork.entrypoints.cli.commands.config_explain import command


def test_a_table_is_explained_by_its_settings() -> None:
    shown = CliRunner().invoke(command, ["gates"])
    assert shown.exit_code == 0, shown
    head, *rows = shown.stdout.splitlines()
    assert head == "gates is a table with these settings:"
    assert rows[0].startswith("  gates.NAME ")
    assert rows[-1] == "next: shiftwork config explain gates.NAME"


def test_a_limit_is_explained_with_the_values_that_need_no_consent() -> None:
    for name, tighter in (
        ("limits.run_usd", "a lower value needs none"),
        ("proof.policy", "a stricter value needs none"),
    ):
        shown = CliRunner().invoke(command, [name])
        assert f"shiftwork trust; {tighter}" in " ".join(shown.stdout.split()), shown
    assert "needs none" not in CliRunner().invoke(command, ["gates.test"]).stdout
