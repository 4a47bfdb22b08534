"""How the message of a landed commit is worded: as the team words its own.

The subject begins with a type (`fix`) if the branch's own subjects do. A story of a spec is named by its id; a request
in one sentence is not, because its id is ours. A template in the settings may say otherwise.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shiftwork.domain.proof.commit_trailers import subject_words, typed_title
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import is_test
from shiftwork.domain.text.file_types import ending
from shiftwork.records import dataclass
from shiftwork.regexes import regex

USUAL_TEMPLATE: Final = "{type}: {id} - {title}\n\n{body}"
FIELDS: Final = ("type", "id", "title", "body", "issue")

SUBJECTS_READ: Final = 50
_HABIT: Final = 5
"""A branch with fewer subjects of people has no habit yet: its commits get a type."""

_DOCUMENTS: Final = frozenset({"md", "mdx", "markdown", "rst", "adoc", "asciidoc"})
_DOCUMENT_FOLDERS: Final = ("doc/", "docs/")

_PLACE: Final = regex(r"(?P<before>\s*[(\[])?\{(?P<name>\w+)\}(?P<after>(?:(?!\s*[(\[])[^\w{}\n])*)")
_TRAILER_LINE: Final = regex(r"[A-Za-z][A-Za-z0-9-]*: \S.*")
_ISSUE: Final = regex(r"(?<![\w/&])#\d+\b|(?<=/issues/)\d+\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStyle:
    """The settings for messages: the `template`, and for each profile of an agent the co-author that it is named as;
    empty where agents are not named.
    """

    template: str = USUAL_TEMPLATE
    co_authors: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The message of a story's commit, before anything is known of its checks. The `short_subject` is for a hook that
    refuses the other: by Shiftwork's own template it has no id, and begins with a small letter.
    """

    subject: str
    short_subject: str = ""
    body: str = ""
    trailers: tuple[str, ...] = ()


def template_fault(template: str) -> str:
    """What is wrong with a template; empty if it can be used."""
    unknown = [name for name in _template_names(template) if name not in FIELDS]
    if unknown:
        return f"there is no {{{unknown[0]}}}: use {', '.join(f'{{{name}}}' for name in FIELDS)}"
    if "shiftwork-" in template.lower():
        return "trailers that begin with Shiftwork- are written by Shiftwork alone"
    if "{title}" not in template.partition("\n")[0]:
        return "its first line, the subject, must contain {title}"
    return ""


def word_message(style: CommitStyle, story: Story, kind: str, body: str) -> Wording:
    """The story's message by the template; `kind` is the type of its subject, empty for none."""
    values = {
        "type": kind,
        "id": story.id if story.named else "",
        "title": typed_title(story.title)[1] if kind else subject_words(story.title),
        "body": body.strip(),
        "issue": _issue_of(story),
    }
    subject, *paragraphs = style.template.strip().split("\n\n")
    trailers = paragraphs.pop() if paragraphs and _is_trailers(paragraphs[-1]) else ""
    filled = (_filled(part, values) for part in paragraphs)
    worded = " ".join(_filled(subject, values).split())
    own = style.template == USUAL_TEMPLATE and kind
    small = values | {"id": "", "title": _with_small_letter(values["title"])}
    return Wording(
        subject=worded,
        short_subject=" ".join(_filled(subject, small).split()) if own else worded,
        body="\n\n".join(part for part in filled if part.strip()),
        trailers=tuple(line for line in _filled(trailers, values).splitlines() if line),
    )


def _with_small_letter(title: str) -> str:
    """As linters of typed subjects want it. A word with other capital letters is a name."""
    first, space, rest = title.partition(" ")
    return f"{first.lower()}{space}{rest}" if first.istitle() else title


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The text with the values. An empty value takes its bracket and the punctuation after it along; a line of nothing
    but names of empty values is left out.
    """
    return "\n".join(
        _PLACE.sub(lambda place: _value(place, values), line)
        for line in text.split("\n")
        if not _PLACE.search(line) or any(values[name] for name in _template_names(line))
    )


def _value(place: re.Match[str], values: Mapping[str, str]) -> str:
    value = values[place["name"]]
    return f"{place['before'] or ''}{value}{place['after']}" if value else ""


def _template_names(text: str) -> Iterator[str]:
    return (place["name"] for place in _PLACE.finditer(text))


def _is_trailers(paragraph: str) -> bool:
    return "{body}" not in paragraph and all(_TRAILER_LINE.fullmatch(line) for line in paragraph.split("\n"))


def _issue_of(story: Story) -> str:
    """The first issue that the request names, as `#12`; empty if it names none."""
    found = _ISSUE.search(f"{story.title}\n{story.description}")
    return f"#{found[0].removeprefix('#')}" if found else ""


# The type of the subject -----------------------------------------------------------------------------------------


def type_of(story: Story, paths: Sequence[str], recent: Sequence[str], protection: Protection) -> str:
    """What the story or its title says; else what the changed `paths` say, unless the branch's own `recent` subjects
    have no types.
    """
    own, _ = typed_title(f"{story.type}: x")
    if said := own or typed_title(story.title)[0]:
        return said
    if len(recent) >= _HABIT and not any(typed_title(subject)[0] for subject in recent):
        return ""
    if paths and all(is_test(path, protection) for path in paths):
        return "test"
    return "docs" if paths and all(map(_is_document, paths)) else "feat"


def _is_document(path: str) -> bool:
    return ending(path) in _DOCUMENTS or path.startswith(_DOCUMENT_FOLDERS)
