"""Landings per second: stories that are ready to land, with shiftwork and with bare git, in the same run.

Bare git is the fastest way that loses no work: for each story `rev-parse`, `merge-tree`, `commit-tree` and a
compare-and-swap with `update-ref`, in sequence, and nothing else. Naive git is what people write first: in a worktree,
rebase the story, squash it, commit. With shiftwork each story asks its queue as it does in a run, and a landing
includes everything: store, engine, lease, batches, a checkout of every commit that lands, a gate that always passes and
runs there under supervision, the move of the base together with the user's own checkout of it, and the answer. The
results are the last three lines. A few stories land before the clock starts, so that trees exist and statements are
compiled. The three alternate, in rounds, because timings on a shared machine drift; the ratio is that of the medians.
Processor time is that of this process and its children, by landing.
"""

import asyncio
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.processor import processor
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.context import Context, Sighting, job_of
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import environment, find_site
from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream, landing_stream, story_stream
from shiftwork.domain.landing.facts import EntryClosed
from shiftwork.domain.landing.state import LandingRequest
from tests.own_folders import use_own_folders

ROUNDS = 5
WARM_UP = 8
STORIES = 64
NAIVE_STORIES = 12
FILES = 200
RUN = RunId("bench")


def git(folder: Path, *args: str, given: str = "") -> str:
    done = subprocess.run(("git", *args), cwd=folder, check=True, input=given, capture_output=True, text=True)
    return done.stdout.strip()


@contextmanager
def repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "repository"
        root.mkdir()
        git(root, "init", "-q", "-b", "main")
        git(root, "config", "user.name", "Bench")
        git(root, "config", "user.email", "bench@localhost")
        for number in range(FILES):
            file = root / f"part-{number % 20}" / f"file-{number}.txt"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{number}\n" * 50)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "start")
        yield root


def stories(root: Path, repository: Path, count: int) -> list[Commit]:
    """Tips of stories, created in a repository that has the objects of `root`: each changes its own file."""
    base = git(root, "rev-parse", "main")
    wanted = "".join(
        f"commit refs/shiftwork/story-{number}\n"
        f"committer Bench <bench@localhost> 1700000000 +0000\ndata 4\nwork\nfrom {base}\n"
        f"M 644 inline part-{number % 20}/file-{number}.txt\ndata 5\nwork\n\n"
        for number in range(count)
    )
    git(root, f"--git-dir={repository}", "fast-import", "--quiet", given=wanted)
    refs = [f"refs/shiftwork/story-{number}" for number in range(count)]
    return [Commit(tip) for tip in git(root, f"--git-dir={repository}", "rev-parse", *refs).splitlines()]


class Taken:
    """How long some landings take, and their processor time."""

    def __init__(self) -> None:
        self._began, self._used = time.perf_counter(), processor()

    def by(self, landings: int) -> tuple[float, float]:
        """Landings a second, and the processor seconds of one."""
        return landings / (time.perf_counter() - self._began), (processor() - self._used) / landings


def bare(root: Path) -> tuple[float, float]:
    tips = stories(root, root / ".git", STORIES)
    git(root, "switch", "-q", "--detach")
    taken = Taken()
    for number, tip in enumerate(tips):
        base = git(root, "rev-parse", "--verify", "refs/heads/main")
        tree = git(root, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", base, tip).rstrip("\0")
        commit = git(root, "commit-tree", tree, "-p", base, "-m", f"story {number}")
        git(root, "update-ref", "refs/heads/main", commit, base)
    return taken.by(STORIES)


def naive(root: Path) -> tuple[float, float]:
    tips = stories(root, root / ".git", NAIVE_STORIES)
    tree = root.parent / "naive"
    git(root, "worktree", "add", "-q", "--detach", str(tree), "main")
    git(root, "switch", "-q", "--detach")
    taken = Taken()
    for number, tip in enumerate(tips):
        git(tree, "checkout", "-q", "--detach", tip)
        git(tree, "rebase", "-q", "main")
        work = git(tree, "rev-parse", "HEAD")
        git(tree, "checkout", "-q", "main")
        git(tree, "merge", "-q", "--squash", work)
        git(tree, "commit", "-q", "-m", f"story {number}")
        git(tree, "checkout", "-q", "--detach")
    return taken.by(NAIVE_STORIES)


async def under_shiftwork(root: Path, proof: str) -> tuple[float, float]:
    env = environment()
    site = find_site(root, env)
    settings = Settings.model_validate(
        {"gates": {"test": "true"}, "landing": {"proof": proof}, "sandbox": {"tier": "none"}}
    )
    watch = Watch(Commit(git(root, "rev-parse", "main")))
    async with open_context(site, settings, env, observe=watch.see) as context:
        tips = list(enumerate(stories(root, site.state / "hub.git", WARM_UP + STORIES)))
        queue = landing_stream(site.project, "main")
        await watch.land(context, queue, tips[:WARM_UP])
        taken = Taken()
        await watch.land(context, queue, tips[WARM_UP:])
        measured = taken.by(STORIES)
    landed = int(git(root, "rev-list", "--count", "main")) - 1
    if landed != len(tips) or git(root, "status", "--porcelain"):
        raise RuntimeError("not every story has landed correctly")
    return measured


class Watch:
    """Requests landings of stories made from `base`, and counts the closed entries."""

    def __init__(self, base: Commit) -> None:
        self.base = base
        self.message = 0
        self.news = asyncio.Event()

    def see(self, sighting: Sighting) -> None:
        self.message += isinstance(sighting.what, EntryClosed)
        self.news.set()

    async def land(self, context: Context, queue: Stream, tips: list[tuple[int, Commit]]) -> None:
        wanted = self.message + len(tips)
        rung = asyncio.ensure_future(context.failure.wait())
        await asyncio.gather(*(self.ask(context, queue, number, tip) for number, tip in tips))
        while self.message < wanted:
            self.news.clear()
            await asyncio.wait({rung, asyncio.ensure_future(self.news.wait())}, return_when=asyncio.FIRST_COMPLETED)
            if rung.done():
                raise rung.result()
        rung.cancel()

    async def ask(self, context: Context, queue: Stream, number: int, tip: Commit) -> None:
        """Request a landing as a story with completed steps does."""
        story = StoryId(f"US-{number:03d}")
        request = LandingRequest(
            run=RUN,
            story=story,
            number=1,
            stream=story_stream(RUN, story),
            tip=tip,
            title="work",
            body="done",
            base=self.base,
        )
        await run_inbox.ask_to_land(context.inbox, queue, "main", request)
        await context.engine.start(job_of(queue))


def main() -> None:
    rates: dict[str, list[tuple[float, float]]] = {
        "naive git": [],
        "bare git": [],
        "shiftwork": [],
        "shiftwork, tip": [],
    }
    for _ in range(ROUNDS):
        with repository() as root:
            rates["naive git"].append(naive(root))
        with repository() as root:
            rates["bare git"].append(bare(root))
        for name, proof in (("shiftwork", "each"), ("shiftwork, tip", "tip")):
            with repository() as root:
                rates[name].append(asyncio.run(under_shiftwork(root, proof)))
    medians = {name: statistics.median(rate for rate, _ in measured) for name, measured in rates.items()}
    for name, median in medians.items():
        used = statistics.median(used for _, used in rates[name])
        rate = f"{median:6.1f} landings a second   {median / medians['bare git']:5.2f} of bare git"
        print(f"{name:16} {rate}   processor {used * 1000:6.1f} ms each")
    print(f"{medians['shiftwork, tip'] / medians['bare git']:.2f} with the proof of the tip; of each:")
    print(f"{medians['shiftwork'] / medians['bare git']:.2f}")


if __name__ == "__main__":
    with use_own_folders():
        main()
