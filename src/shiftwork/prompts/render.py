"""Fill a template's `{{name}}` places in a single pass: what is put in is never looked at again."""

from collections.abc import Collection, Mapping

from shiftwork.domain.workflow.template_values import PLACE, filled
from shiftwork.errors import TemplateError
from shiftwork.prompts.answer.problem import did_you_mean


def names(template: str) -> frozenset[str]:
    """The names that a template asks for."""
    return frozenset(PLACE.findall(template))


def check(template: str, known: Collection[str]) -> None:
    """Raise TemplateError for the first name, in alphabetical order, that nobody provides."""
    for name in sorted(names(template).difference(known)):
        raise TemplateError(
            f"the template names {{{{{name}}}}}, which nothing provides{did_you_mean(name, known)}",
            hint=f"known names: {', '.join(sorted(known)) or 'none'}",
        )


def render(template: str, values: Mapping[str, str], known: Collection[str] = ()) -> str:
    """The template with its places filled. A name that is `known` but has no value yet renders empty.

    Raises TemplateError for a name that is neither. Values are text: a `{{name}}` inside one stays as it is.
    """
    check(template, values.keys() | set(known))
    return filled(template, values)
