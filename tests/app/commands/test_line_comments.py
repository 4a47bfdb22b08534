"""Comments on lines of a patch: the text that agents get, and the request that it becomes."""

import asyncio
import time
from collections.abc import Sequence

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands.review.line_comments import Commented, LineComment, comment, comments_text, patch_lines
from shiftwork.app.commands.steering import NewStory, StoryChange, changed_story, new_story
from shiftwork.app.messaging import messages
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, story_stream
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.errors import IntentError, UsageError
from shiftwork.testing.builders import RUN
from tests.app.full_history import account_of

PATCH = r"""diff --git a/src/greet.py b/src/greet.py
index 1..2 100644
--- a/src/greet.py
+++ b/src/greet.py
@@ -1,3 +1,3 @@ def greet
 def greet():
-    return "hi"
+    return "hello"
 # end
@@ -9 +9,2 @@
--- a comment of SQL
+++ and its successor
+last
\ No newline at end of file
diff --git "a/\303\244.txt" "b/\303\244.txt"
new file mode 100644
--- /dev/null
+++ "b/\303\244.txt"
@@ -0,0 +1 @@
+new
diff --git a/end "b/an end\""
--- a/end
+++ "b/an end\""
@@ -1 +1 @@
-before
\ No newline at end of file
+after
"""


def on(path: str, line: int, text: str = "why?", *, old: bool = False) -> LineComment:
    return LineComment(path=path, line=line, old=old, text=text)


@pytest.mark.parametrize(
    ("given", "quoted"),
    [
        (on("src/greet.py", 1), "src/greet.py, line 1:\n>  def greet():\nwhy?"),
        (on("src/greet.py", 2), 'src/greet.py, line 2:\n> +    return "hello"\nwhy?'),
        (on("src/greet.py", 2, old=True), 'src/greet.py, line 2 before the change:\n> -    return "hi"\nwhy?'),
        (on("src/greet.py", 3), "src/greet.py, line 3:\n>  # end\nwhy?"),
        (on("src/greet.py", 9, old=True), "src/greet.py, line 9 before the change:\n> --- a comment of SQL\nwhy?"),
        (on("src/greet.py", 10), "src/greet.py, line 10:\n> +last\nwhy?"),
        (on("ä.txt", 1, " no "), "ä.txt, line 1:\n> +new\nno"),
        (on('an end"', 1), 'an end", line 1:\n> +after\nwhy?'),
    ],
)
def test_a_comment_names_the_file_the_line_and_what_the_patch_has_there(given: LineComment, quoted: str) -> None:
    assert comments_text(PATCH, [given]).split("\n\n") == [
        "Make the changes that these comments on the patch ask for.",
        quoted,
    ]


def test_several_comments_are_one_text() -> None:
    assert comments_text(PATCH, [on("src/greet.py", 1), on("ä.txt", 1)]).count("why?") == 2


def test_many_comments_on_a_long_patch_take_hardly_longer_than_one() -> None:
    lines = 10_000
    patch = f"--- /dev/null\n+++ b/long.txt\n@@ -0,0 +1,{lines} @@\n" + "+x\n" * lines

    def seconds(count: int) -> float:
        begun = time.process_time()
        comments_text(patch, [on("long.txt", lines)] * count)
        return time.process_time() - begun

    assert min(seconds(100) for _ in range(3)) < 5 * min(seconds(1) for _ in range(3))


@pytest.mark.parametrize("given", [on("src/greet.py", 4), on("other.py", 1), on("src/greet.py", 10, old=True)])
def test_a_line_that_the_patch_does_not_have_cannot_be_commented_on(given: LineComment) -> None:
    with pytest.raises(UsageError, match=f"the patch has no {given.path}, line {given.line}"):
        comments_text(PATCH, [given])


def test_every_line_of_a_hunk_is_found_once() -> None:
    assert [(line.old, line.new) for line in patch_lines(PATCH)] == [
        *((1, 1), (2, 0), (0, 2), (3, 3)),
        *((9, 0), (0, 9), (0, 10)),
        (0, 1),
        *((1, 0), (0, 1)),
    ]


# What it becomes -------------------------------------------------------------------------------------------------


async def requested(story: str, *facts: Fact) -> tuple[str, Sequence[Fact]]:
    """The name of the request, and what is in the story's inbox afterwards."""
    store, stream = MemoryStore(), story_stream(RUN, StoryId(story))
    await account_of(store)
    if facts:
        await store.events.append(stream, facts, expected=await store.events.version(stream), key="more")
    said = Commented(run=RUN, story=StoryId(story), text="please change it")
    asked = await comment(store.events, store.inbox, said, "k")
    return asked, messages.facts_of(stream, await store.inbox.receive(stream, after=0), 0.0)


def held(cause: HoldCause) -> Fact:
    return story_facts.StoryHeld(at=90, cause=cause, detail="shall it land?")


def test_while_approval_is_asked_the_patch_is_rejected_with_the_comments() -> None:
    asked, inbox = asyncio.run(requested("US-004", held(HoldCause.APPROVAL)))
    (released,) = (fact for fact in inbox if isinstance(fact, story_facts.StoryReleased))
    assert (asked, released.granted, released.answer) == ("reject", False, "please change it")


def test_a_story_in_progress_gets_a_step() -> None:
    asked, inbox = asyncio.run(requested("US-004"))
    (wanted,) = (fact for fact in inbox if isinstance(fact, story_facts.WorkflowEditRequested))
    (new,) = wanted.edits[0].steps
    assert (asked, new.type, new.description) == ("steps", "coding", "please change it")


@pytest.mark.parametrize(
    ("story", "facts", "hint"),
    [
        ("US-004", (held(HoldCause.QUESTION),), f"shiftwork status {RUN}"),
        ("US-001", (), "shiftwork undo US-001"),
        ("US-002", (), "shiftwork retry US-002"),
    ],
)
def test_a_story_that_cannot_use_it_says_what_to_type(story: str, facts: tuple[Fact, ...], hint: str) -> None:
    with pytest.raises(IntentError) as refused:
        asyncio.run(requested(story, *facts))
    assert hint in refused.value.hint


# Stories that people add and change ----------------------------------------------------------------------------------


def test_a_new_story_has_the_next_id_and_at_least_one_criterion() -> None:
    known = asyncio.run(account_of(MemoryStore())).run
    bare = new_story(known, NewStory(title="Greet"))
    assert (bare.id, bare.description, [criterion.text for criterion in bare.criteria]) == (
        "US-006",
        "Greet",
        ["Greet"],
    )
    full = new_story(known, NewStory(title="Greet", description="Say it", criteria=("a", "b"), depends_on=(bare.id,)))
    assert (full.description, len(full.criteria), full.depends_on) == ("Say it", 2, (bare.id,))


def test_what_is_not_named_in_a_change_stays() -> None:
    known = asyncio.run(account_of(MemoryStore())).run.given.spec.stories[4]
    assert changed_story(known, StoryChange()) == known
    changed = changed_story(known, StoryChange(title="New", criteria=("x",), depends_on=()))
    assert (changed.title, changed.criteria[0].text, changed.depends_on) == ("New", "x", ())
