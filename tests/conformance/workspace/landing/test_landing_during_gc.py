"""Landing while the user's gc removes at once what nothing refers to."""

import asyncio
import subprocess
import threading
from functools import partial

from shiftwork.app.runtime.git_retry import again
from shiftwork.ports.workspace import Moved
from tests.conformance.workspace.git.git_rig import GitRig


def test_changes_land_and_stay_while_a_gc_prunes_again_and_again(rig: GitRig) -> None:
    stopped = threading.Event()

    def collect() -> None:
        while not stopped.is_set():
            rig.user.git("gc", "--quiet", "--prune=now")

    tips = [rig.story({f"{number}-{name}.txt": f"{number} {name}\n" for name in range(20)}) for number in range(4)]
    collecting = threading.Thread(target=collect)
    collecting.start()
    try:
        for tip in tips:
            built = rig.candidate(tip)
            assert asyncio.run(again(partial(rig.repository.move, "main", built))) == Moved(ref="main")
    finally:
        stopped.set()
        collecting.join()
    assert rig.user.git("rev-list", "--count", "main").strip() == "5"
    rig.user.git("fsck", "--strict")
    assert not [*rig.user.root.glob(".git/objects/pack/*.keep")]


def test_what_lands_after_a_gc_has_chosen_what_it_removes_is_in_a_pack_that_it_leaves(rig: GitRig) -> None:
    tip = rig.story({"new.txt": "new\n"})
    (rig.user.root / ".git/gc.pid").write_text("1 here")
    assert rig.move(rig.candidate(tip)) == Moved(ref="main")
    loose = rig.user.root / ".git/objects" / rig.tip()[:2] / rig.tip()[2:]
    assert not loose.exists()
    subprocess.run(("git", "cat-file", "-e", rig.tip()), cwd=rig.user.root, check=True)
