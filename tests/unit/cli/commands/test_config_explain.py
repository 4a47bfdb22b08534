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
