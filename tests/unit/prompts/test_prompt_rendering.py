"""Templates are filled in one pass, and an unknown name is an error that says which name was probably meant."""

import pytest

from shiftwork.errors import TemplateError
from shiftwork.prompts.render import check, names, render


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("", ""),
        ("no places", "no places"),
        ("{{task}}", "T"),
        ("{{ task }}", "T"),
        ("{{\ttask}}", "T"),
        ("a{{task}}b{{task}}c", "aTbTc"),
        ("{{{task}}}", "{T}"),
        ("${{task}}", "$T"),
        ("{task}", "{task}"),
        ("{{task", "{{task"),
        ("{{}}", "{{}}"),
        ("{{a.b}} {{a-b}} {{ 1 }}", "{{a.b}} {{a-b}} {{ 1 }}"),
        ('{"a": {"b": {}}}', '{"a": {"b": {}}}'),
        ("{{later}}", ""),
        ("\\1 \\g<0> {{task}}", "\\1 \\g<0> T"),
    ],
)
def test_places_are_filled_and_all_other_braces_stay(template: str, expected: str) -> None:
    assert render(template, {"task": "T"}, known={"later"}) == expected


def test_what_is_put_in_is_text() -> None:
    values = {"one": "{{two}} {{nobody}} \\1", "two": "{{one}}"}

    assert render("{{one}}|{{two}}", values) == "{{two}} {{nobody}} \\1|{{one}}"


def test_halves_of_places_from_two_values_do_not_become_one() -> None:
    assert render("{{open}}task}}", {"open": "{{", "task": "T"}) == "{{task}}"


def test_an_unknown_name_is_refused_with_what_was_meant() -> None:
    with pytest.raises(TemplateError) as caught:
        render("{{brnach}}", {"branch": "main"}, known=("task",))

    assert caught.value.message == "the template names {{brnach}}, which nothing provides; did you mean 'branch'?"
    assert caught.value.hint == "known names: branch, task"


def test_a_name_unlike_all_others_is_refused_without_a_guess() -> None:
    with pytest.raises(TemplateError) as caught:
        check("{{zzz}}", ())

    assert caught.value.message == "the template names {{zzz}}, which nothing provides"
    assert caught.value.hint == "known names: none"


def test_names_lists_what_a_template_asks_for() -> None:
    assert names("{{a}} {{ b }} {{a}} {c}") == {"a", "b"}
