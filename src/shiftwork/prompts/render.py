"""Fills a template's `{{name}}` placeholders in a single pass: inserted values are not parsed again."""

from collections.abc import Collection, Mapping

from shiftwork.domain.workflow.template_values import PLACE, filled
from shiftwork.errors import TemplateError
from shiftwork.prompts.answer.problem import did_you_mean


def names(template: str) -> frozenset[str]:
    """The names that a template uses."""
    return frozenset(PLACE.findall(template))


def check(template: str, known: Collection[str]) -> None:
    """Raises TemplateError for the first name, in alphabetical order, that is not known."""
    for name in sorted(names(template).difference(known)):
        raise TemplateError(
            f"the template names {{{{{name}}}}}, which nothing provides{did_you_mean(name, known)}",
            hint=f"known names: {', '.join(sorted(known)) or 'none'}",
        )


def render(template: str, values: Mapping[str, str], known: Collection[str] = ()) -> str:
    """Returns the template with its placeholders filled. A name that is `known` but has no value yet renders empty.

    Raises TemplateError for any other name. Values are plain text: a `{{name}}` inside a value stays as it is.
    """
    check(template, values.keys() | set(known))
    return filled(template, values)
