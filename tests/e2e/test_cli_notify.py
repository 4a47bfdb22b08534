"""Notices from the installed command: off by default, signed, sent once, and resent with the same key after a kill."""

import json
import signal
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


def keys(receiver: Receiver) -> list[str]:
    return [{name.lower(): value for name, value in headers.items()}["webhook-id"] for headers, _ in receiver.requests]


def test_without_settings_no_one_is_reported(project: Project) -> None:
    completed = project.shiftwork("notify")
    assert (completed.returncode, completed.stdout) == (
        0,
        "notifications are off: see [notify] in shiftwork.toml\n",
    )
    assert "notifications are off" in project.shiftwork("doctor").stdout
    nothing = project.shiftwork("notify", "--test")
    assert nothing.returncode == 64
    assert "name urls or a webhook under [notify]" in nothing.stderr


def test_a_test_notice_arrives_signed(project: Project, receiver: Receiver) -> None:
    hooked(project, receiver, f'[notify]\nurls = ["json://{receiver.address}"]\n')
    completed = project.shiftwork("notify", "--test", "--json", HOOK=SECRET)
    assert completed.returncode == 0, completed
    document = json.loads(completed.stdout)
    assert document["channels"] == [{"name": "1:json", "error": ""}, {"name": "webhook", "error": ""}]
    signed = next((headers, body) for headers, body in receiver.requests if b"shiftwork.test" in body)
    assert Webhook(SECRET).verify(signed[1], signed[0])["type"] == "shiftwork.test"
    assert len(receiver.requests) == 2
    assert "1:json, webhook on needs-you" in project.shiftwork("doctor", HOOK=SECRET).stdout


def test_what_is_missing_is_reported_by_doctor_and_by_the_test(project: Project, receiver: Receiver) -> None:
    hooked(project, receiver)
    examined = project.shiftwork("doctor")
    assert examined.returncode == 1
    assert "the webhook is signed with $HOOK, which is not set" in examined.stdout
    receiver.status = 500
    refused = project.shiftwork("notify", "--test", HOOK=SECRET)
    assert refused.returncode == 1
    assert "the webhook answered 500" in refused.stdout


def test_addresses_that_are_not_trusted_are_reported_nothing(project: Project, receiver: Receiver) -> None:
    hooked(project, receiver)
    refused = project.shiftwork("notify", "--test", HOOK=SECRET, SHIFTWORK_TRUST="")
    assert refused.returncode == 64
    assert "notify.webhook.url" in refused.stderr
    assert receiver.requests == []


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


def test_an_answer_that_cannot_be_followed_here_is_not_taken(project: Project, receiver: Receiver) -> None:
    hooked(project, receiver)
    asks = 'if [ ! -f go ]; then cat > /dev/null; echo go > go; echo "STORY_BLOCKED: Tabs or blanks?"; exit 0; fi\n'
    project.agent.write_text(asks + project.agent.read_text(encoding="utf-8"), encoding="utf-8")
    assert project.shiftwork("run", "Add hello.txt", HOOK=SECRET).returncode == 2
    for _ in range(2):
        refused = project.shiftwork("answer", "US-001", "tabs")
        assert refused.returncode == 64
        assert "the webhook is signed with $HOOK, which is not set" in refused.stderr
    assert project.shiftwork("answer", "US-001", "tabs", HOOK=SECRET).returncode == 0


@pytest.mark.durability
def test_killed_before_a_notice_is_recorded_it_is_sent_again_under_its_key(
    project: Project, receiver: Receiver
) -> None:
    hooked(project, receiver)
    died = project.shiftwork("run", "Add hello.txt", HOOK=SECRET, SHIFTWORK_FAILPOINT="notice.sent")
    assert died.returncode == -signal.SIGKILL, died.stdout + died.stderr
    assert len(receiver.requests) == 1
    resumed = project.shiftwork("resume", HOOK=SECRET)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    first, second = keys(receiver)
    assert first == second
    assert project.git("log", "--format=%s", "main").splitlines()[1:] == ["start"]


def test_the_howto_typed_literally_works(project: Project, receiver: Receiver) -> None:
    hooked(project, receiver)
    file = project.root / "shiftwork.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('"HOOK"', '"SHIFTWORK_WEBHOOK_SECRET"'), encoding="utf-8")
    typed = project.types(blocks(ROOT / "docs" / "howto" / "notifications.md", "notify"), SHIFTWORK_TRUST="")
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert len(receiver.requests) == 1


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


def test_a_workflow_of_the_users_own_posts_how_the_run_ended(project: Project, receiver: Receiver) -> None:
    posting(project.root.parent / "config", receiver)
    assert project.shiftwork("trust").returncode == 0
    ran = project.shiftwork("run", "Add hello.txt", "--workflow", "posting", SHIFTWORK_TRUST="")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ((headers, body),) = receiver.requests
    document = json.loads(body)
    assert (document["type"], document["data"]["run"]) == ("shiftwork.finished", project.status()["run"])
    names = {name.lower() for name in headers}
    assert "webhook-id" in names
    assert "webhook-signature" not in names, "there is no secret that both sides know"


@pytest.mark.parametrize("place", ["repository", "path"])
def test_any_other_workflow_posts_only_where_the_user_agreed_to(
    project: Project, receiver: Receiver, place: str
) -> None:
    file = posting(project.root if place == "repository" else project.root.parent / "elsewhere", receiver)
    named = "posting" if place == "repository" else str(file)
    assert project.shiftwork("trust").returncode == 0
    refused = project.shiftwork("run", "Add hello.txt", "--workflow", named, SHIFTWORK_TRUST="")
    assert refused.returncode == 64
    assert f"POST http://{receiver.address}" in refused.stderr
    assert project.shiftwork("trust", named).returncode == 0
    assert receiver.requests == []
    assert project.shiftwork("run", "Add hello.txt", "--workflow", named, SHIFTWORK_TRUST="").returncode == 0
    assert len(receiver.requests) == 1
    file.write_text(file.read_text(encoding="utf-8").replace("/hook", "/other"), encoding="utf-8")
    changed = project.shiftwork("run", "Add hello.txt", "--workflow", named, SHIFTWORK_TRUST="")
    assert (changed.returncode, len(receiver.requests)) == (64, 1)


def test_a_run_that_another_process_continues_still_posts(project: Project, receiver: Receiver) -> None:
    posting(project.root, receiver)
    asks = 'if [ ! -f go ]; then cat > /dev/null; echo go > go; echo "STORY_BLOCKED: Tabs or blanks?"; exit 0; fi\n'
    project.agent.write_text(asks + project.agent.read_text(encoding="utf-8"), encoding="utf-8")
    assert project.shiftwork("run", "Add hello.txt", "--workflow", "posting").returncode == 2
    assert project.shiftwork("answer", "US-001", "tabs").returncode == 0
    assert [json.loads(body)["type"] for _, body in receiver.requests] == ["shiftwork.needs-you", "shiftwork.finished"]
