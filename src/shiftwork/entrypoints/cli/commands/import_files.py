"""`shiftwork import`: reads the files of other tools, says what they mean here, and writes what a run needs."""

import click

from shiftwork.entrypoints.cli.env.repository import around


@click.command("import", short_help="Read files of other tools, and write what a run needs.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dry-run", is_flag=True, help="Print it, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(files: tuple[str, ...], *, dry_run: bool, as_json: bool) -> None:
    """Read each FILE, and print the stories, their order, the gates, and what is not used.

    A FILE is a spec: a prd.json of ralph, ralph-tui or codetether, a Markdown plan or task list, an OpenSpec change, a
    spec-kit folder, an export of beads (issues.jsonl), or the workflow_state.json of Dynamic Ralph or of shiftwork
    export, with the prd.json and scratch files beside it. Or it is a workflow: antfarm's workflow.yml or its folder.

    Files of the repository are used where they are; others are copied into it. shiftwork.toml is written if there is
    none, with the checks of this project. No existing file is changed, and no command runs.
    """
    from shiftwork.entrypoints.cli.work import importing  # noqa: PLC0415 - `--help` need not wait for it

    importing.import_files(around(), files, dry_run=dry_run, as_json=as_json)
