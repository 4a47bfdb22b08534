"""Notices from the installed command: off by default, signed, and sent once."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from shiftwork.testing.conformance.notify import Receiver, receiving
from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project

SECRET = "whsec_c2hpZnR3b3JrLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODk="  # noqa: S105 - a test's own


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as open_one:
        yield open_one


def hooked(project: Project, receiver: Receiver, more: str = "") -> Project:
    file = project.root / "shiftwork.toml"
    hook = f'\n[notify.webhook]\nurl = "http://{receiver.address}"\nsecret_env = "HOOK"\n{more}'
    file.write_text(file.read_text(encoding="utf-8") + hook, encoding="utf-8")
    return project


def test_a_test_notice_arrives_signed_as_the_howto_says_once_a_receiver_is_named_trusted_and_reached(
    project: Project, receiver: Receiver
) -> None:
    completed = project.shiftwork("notify")
    assert (completed.returncode, completed.stdout) == (0, "notifications are off: see [notify] in shiftwork.toml\n")
    assert "notifications are off" in project.shiftwork("doctor").stdout
    nothing = project.shiftwork("notify", "--test")
    assert (nothing.returncode, "name urls or a webhook under [notify]" in nothing.stderr) == (64, True)

    hooked(project, receiver, f'[notify]\nurls = ["json://{receiver.address}"]\n')
    refused = project.shiftwork("notify", "--test", HOOK=SECRET, SHIFTWORK_TRUST="")
    assert (refused.returncode, "notify.webhook.url" in refused.stderr) == (64, True)
    examined = project.shiftwork("doctor")
    assert (examined.returncode, "the webhook is signed with $HOOK, which is not set" in examined.stdout) == (1, True)
    assert receiver.requests == []

    completed = project.shiftwork("notify", "--test", "--json", HOOK=SECRET)
    assert completed.returncode == 0, completed
    document = json.loads(completed.stdout)
    assert document["channels"] == [{"name": "1:json", "error": ""}, {"name": "webhook", "error": ""}]
    signed = next((headers, body) for headers, body in receiver.requests if b"shiftwork.test" in body)
    assert Webhook(SECRET).verify(signed[1], signed[0])["type"] == "shiftwork.test"
    assert len(receiver.requests) == 2
    assert "1:json, webhook on needs-you" in project.shiftwork("doctor", HOOK=SECRET).stdout
    receiver.status = 500
    failed = project.shiftwork("notify", "--test", HOOK=SECRET)
    assert (failed.returncode, "the webhook answered 500" in failed.stdout) == (1, True)

    receiver.status = 204
    receiver.requests.clear()
    file = project.root / "shiftwork.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('"HOOK"', '"SHIFTWORK_WEBHOOK_SECRET"'), encoding="utf-8")
    typed = project.types(blocks(ROOT / "docs" / "howto" / "notifications.md", "notify"), SHIFTWORK_TRUST="")
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert len(receiver.requests) == 2


def test_a_run_reports_its_end_once_and_a_receiver_that_fails_does_not_stop_it(
    project: Project, receiver: Receiver
) -> None:
    hooked(project, receiver)
    ran = project.shiftwork("run", "Add hello.txt", HOOK=SECRET)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ((headers, body),) = receiver.requests
    document = Webhook(SECRET).verify(body, headers)
    assert (document["type"], document["data"]["story"]) == ("shiftwork.finished", None)
    assert project.shiftwork("resume", HOOK=SECRET).returncode == 0
    assert len(receiver.requests) == 1
    receiver.status = 500
    again = project.shiftwork("run", "Add hello.txt again", HOOK=SECRET)
    assert "run" in again.stdout
    assert len(receiver.requests) == 4, "one that was taken, and three tries"


# The address that a workflow names ------------------------------------------------------------------------------------

POSTING = """\
id: posting
notifications: { url: "http://ADDRESS" }
steps: [{ id: coding }]
"""


def posting(folder: Path, receiver: Receiver) -> Path:
    file = folder / "workflows/posting/workflow.yml"
    file.parent.mkdir(parents=True)
    file.write_text(POSTING.replace("ADDRESS", receiver.address), encoding="utf-8")
    return file


def test_a_workflow_of_the_users_own_posts_how_its_run_stands_whichever_process_continues_it(
    project: Project, receiver: Receiver
) -> None:
    """An answer that could not be followed where it is typed is not taken."""
    hooked(project, receiver)
    posting(project.root.parent / "config", receiver)
    asks = 'if [ ! -f go ]; then cat > /dev/null; echo go > go; echo "STORY_BLOCKED: Tabs or blanks?"; exit 0; fi\n'
    project.agent.write_text(asks + project.agent.read_text(encoding="utf-8"), encoding="utf-8")
    assert project.shiftwork("trust").returncode == 0
    untrusted = {"HOOK": SECRET, "SHIFTWORK_TRUST": ""}
    ran = project.shiftwork("run", "Add hello.txt", "--workflow", "posting", **untrusted)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    for _ in range(2):
        refused = project.shiftwork("answer", "US-001", "tabs")
        assert refused.returncode == 64
        assert "the webhook is signed with $HOOK, which is not set" in refused.stderr
    assert project.shiftwork("answer", "US-001", "tabs", **untrusted).returncode == 0
    posted = [
        (json.loads(body), {name.lower() for name in headers})
        for headers, body in receiver.requests
        if "webhook-signature" not in {name.lower() for name in headers}  # there is no secret that both sides know
    ]
    assert [document["type"] for document, _ in posted] == ["shiftwork.needs-you", "shiftwork.finished"]
    assert {document["data"]["run"] for document, _ in posted} == {project.status()["run"]}
    assert all("webhook-id" in names for _, names in posted)
    assert len(receiver.requests) == 2 * len(posted), "the webhook of the settings got the same"


def test_a_workflow_of_the_repository_posts_only_where_the_user_agreed_to(project: Project, receiver: Receiver) -> None:
    file = posting(project.root, receiver)
    assert project.shiftwork("trust").returncode == 0
    refused = project.shiftwork("run", "Add hello.txt", "--workflow", "posting", SHIFTWORK_TRUST="")
    assert refused.returncode == 64
    assert f"POST http://{receiver.address}" in refused.stderr
    assert project.shiftwork("trust", "posting").returncode == 0
    assert receiver.requests == []
    assert project.shiftwork("run", "Add hello.txt", "--workflow", "posting", SHIFTWORK_TRUST="").returncode == 0
    assert len(receiver.requests) == 1
    file.write_text(file.read_text(encoding="utf-8").replace("/hook", "/other"), encoding="utf-8")
    changed = project.shiftwork("run", "Add hello.txt", "--workflow", "posting", SHIFTWORK_TRUST="")
    assert (changed.returncode, len(receiver.requests)) == (64, 1)
