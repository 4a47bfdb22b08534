"""A file that is broken on purpose fails with its mark, follows its language's syntax, and names itself."""

import pytest

from shiftwork.domain.canary.mutation import Style, broken, can_break, mark, marks_in

MARK = "shiftwork_canary_3fa9c1_12_"
PIECES = '"shiftwork" + "_canary_3fa9c1_12_ in {}"'


def test_a_mark_is_an_identifier_with_the_number_of_its_file() -> None:
    assert mark("3fa9c1", 12) == MARK
    assert MARK.isidentifier()


@pytest.mark.parametrize(
    ("output", "numbers"),
    [
        (f"RuntimeError: {MARK} in a.py", {12}),
        (f"E {MARK}\nE shiftwork_canary_3fa9c1_3_broken".encode(), {3, 12}),
        ("\x1b[31mshiftwork\x1b[0m_canary_3fa9c1_12_", {12}),
        (b"\xff\xfe " + MARK.encode(), {12}),
        ("shiftwork_canary_3fa9c1_12", set()),
        ("shiftwork_canary_3fa9c1_1...", set()),
        ("shiftwork_canary_other_12_", set()),
        ('raise RuntimeError("shiftwork" + "_canary_3fa9c1_12_")', set()),
        ("", set()),
    ],
)
def test_only_whole_marks_of_the_same_token_count(output: str | bytes, numbers: set[int]) -> None:
    assert marks_in("3fa9c1", output) == numbers


@pytest.mark.parametrize("path", ["a.py", "src/a.TSX", "a.go", "A.java", "a.h", "a.sh", "App.vue", "a.R"])
def test_languages_that_can_be_broken(path: str) -> None:
    assert can_break(path)
    assert broken(path, "", MARK) != ""


@pytest.mark.parametrize(
    "path", ["a.pyi", "a.sql", "a.d.ts", "p/package-info.java", "a.fs", "README.md", "Makefile", "a.exs", ".py"]
)
def test_what_cannot_be_broken_stays_as_it_is(path: str) -> None:
    assert not can_break(path)
    assert broken(path, "text\n", MARK) == "text\n"


# On top -----------------------------------------------------------------------------------------------------------


RAISE = f"raise RuntimeError({PIECES.format('a.py')})\n"


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("", "", ""),
        ("x = 1\n", "", "x = 1\n"),
        ("#!/usr/bin/env python3\n# coding: utf-8\nx = 1\n", "#!/usr/bin/env python3\n# coding: utf-8\n", "x = 1\n"),
        ("#!/usr/bin/env python3", "#!/usr/bin/env python3\n", ""),
        ('"""Doc."""\nx = 1\n', "", '"""Doc."""\nx = 1\n'),
        (
            '"""Doc."""\n\nfrom __future__ import (\n    annotations,\n)\nx = 1\n',
            '"""Doc."""\n\nfrom __future__ import (\n    annotations,\n)\n',
            "x = 1\n",
        ),
        (
            "from __future__ import annotations; x = (\n1)\ny = 2\n",
            "from __future__ import annotations; x = (\n1)\n",
            "y = 2\n",
        ),
        ("from __future__ import annotations", "from __future__ import annotations\n", ""),
        ("# __future__ is elsewhere\nx = '\\d'\n", "# __future__ is elsewhere\n", "x = '\\d'\n"),
        ("from __future__ import annotations\nx = (\n", "", "from __future__ import annotations\nx = (\n"),
        ("\ufefffrom __future__ import annotations\nx = 1\n", "\ufefffrom __future__ import annotations\n", "x = 1\n"),
        ("\ufeffx = 1\n", "\ufeff", "x = 1\n"),
    ],
)
def test_python_fails_before_anything_runs(text: str, before: str, after: str) -> None:
    assert broken("a.py", text, MARK) == before + RAISE + after


def test_a_file_keeps_its_line_ends() -> None:
    text = "from __future__ import annotations\r\nx = 1\r\n"
    assert broken("a.py", text, MARK) == text.replace("x = 1", f"{RAISE.strip()}\r\nx = 1")
    assert broken("a.py", "x = 1\r\n", MARK, Style.LAST) == f"x = 1\r\n\r\n\r\n{RAISE.strip()}\r\n"
    assert broken("a.sh", "true\r\n", MARK).count("\r\n") == broken("a.sh", "true\r\n", MARK).count("\n") == 3


THROW = f'if (Number("1") === 1) throw new Error({PIECES.format("a.ts")});\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "import a from 'a';\n"),
        ("#!/usr/bin/env node\n", "a();\n"),
        ("// @ts-nocheck\n/* a\n b */\n", "a();\n"),
        ("'use strict';\n", "a();\n"),
        ('// one\n"use client"\n\n', "a()\n"),
        ("", "'a'.length;\n"),
        ("", "/* never closed"),
    ],
)
def test_a_script_fails_after_its_directives(before: str, after: str) -> None:
    assert broken("a.ts", before + after, MARK) == before + THROW + after


@pytest.mark.parametrize("before", ["// only this", "'use strict'", "/* a */ "])
def test_a_statement_stands_on_a_line_of_its_own(before: str) -> None:
    assert broken("a.ts", before, MARK) == f"{before}\n{THROW}"


PHP = 'throw new \\RuntimeException("shiftwork" . "_canary_3fa9c1_12_ in a.php");\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<?php\n", "echo 1;\n"),
        ("<?php\n/** Doc. */\n# one\ndeclare(strict_types=1);\n\nnamespace A\\B;\n\n", "use C;\n"),
        ("<?php\n", "#[A]\nclass B {}\n"),
        ("#!/usr/bin/env php\n<?php\n", "return 1;\n"),
        ("<?php\nnamespace A {\n", "class B {}\n}\n"),
    ],
)
def test_php_fails_after_what_must_be_first(before: str, after: str) -> None:
    assert broken("a.php", before + after, MARK, Style.LAST) == before + PHP + after


def test_a_file_of_php_that_begins_with_text() -> None:
    document = "<html><?php echo 1; ?></html>\n"
    assert broken("a.php", document, MARK) == f"<?php {PHP.strip()} ?>\n{document}"


COMPONENT = f'if (Number("1") === 1) throw new Error({PIECES.format("A.NAME")});\n'


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("vue", "<script>\nlet a\n</script>\n", "<script>\nTHROW\nlet a\n</script>\n"),
        ("vue", "<p/>\n", "<p/>\n<script>\nTHROW</script>\n"),
        (
            "vue",
            "<script setup lang='ts' generic=\"A<B>\">\nlet a\n</script>\n",
            "<script setup lang='ts' generic=\"A<B>\">\nlet a\n</script>\n<script lang='ts'>\nTHROW</script>\n",
        ),
        ("vue", '<script src="a.js"></script>\n', '<script src="a.js"></script>\n<script>\nTHROW</script>\n'),
        ("svelte", "<script module>\nlet a\n</script>\n", "<script module>\nTHROW\nlet a\n</script>\n"),
        (
            "svelte",
            '<script lang="ts">\nlet a\n</script>\n',
            '<script lang="ts">\nlet a\n</script>\n<script context="module" lang="ts">\nTHROW</script>\n',
        ),
    ],
)
def test_a_component_fails_when_it_is_loaded(name: str, text: str, changed: str) -> None:
    throw = COMPONENT.replace("NAME", name)
    assert broken(f"A.{name}", text, MARK, Style.LAST) == changed.replace("THROW", throw)


def test_comments_that_ruby_reads_stay_first() -> None:
    text = "# frozen_string_literal: true\n\nmodule A\nend\n"
    assert broken("a.rb", text, MARK).startswith('# frozen_string_literal: true\nraise "shiftwork" + "_canary')


# At the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("def f() -> None:\n    pass\n", "def f() -> None:\n    pass\n\n\n"),
        ('"""Doc."""\n', '"""Doc."""\n\n'),
        ("import os\n", "import os\n\n"),
        ("from a import b\n\n\n", "from a import b\n\n"),
        ("x = (\n", "x = (\n\n"),
        ("", ""),
        ("\ufeff", "\ufeff"),
    ],
)
def test_python_that_is_broken_at_the_end_is_as_a_formatter_would_have_it(text: str, before: str) -> None:
    assert broken("a.py", text, MARK, Style.LAST) == before + RAISE


def test_a_statement_at_the_end_has_the_quotes_and_semicolons_of_the_file() -> None:
    assert broken("a.py", "x = 'a'\n", MARK, Style.LAST).endswith(f"\n{RAISE}".replace('"', "'"))
    throw = f"throw new Error({PIECES.format('a.ts')})"
    assert broken("a.ts", 'a("b");\n', MARK, Style.LAST) == f'a("b");\n\n{throw};\n'
    assert broken("a.ts", "a('b')\n", MARK, Style.LAST) == "a('b')\n\n" + throw.replace('"', "'") + "\n"
    assert broken("a.ts", "", MARK, Style.LAST) == f"{throw};\n"


def test_a_long_path_is_left_out_where_a_formatter_would_break_the_line() -> None:
    path = f"{'deep/' * 20}a.py"
    assert path in broken(path, "", MARK)
    assert broken(path, "", MARK, Style.LAST) == 'raise RuntimeError("shiftwork" + "_canary_3fa9c1_12_")\n'


def test_data_behind_the_program_stays_behind_it() -> None:
    text = "package A;\n1;\n__DATA__\nx\n"
    died = 'die "shiftwork" . "_canary_3fa9c1_12_ in A.pm";'
    assert broken("A.pm", text, MARK, Style.LAST) == f"package A;\n1;\n\n{died}\n\n__DATA__\nx\n"


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("a.rs", f'compile_error!("{MARK} in a.rs");'),
        ("a.go", f"var _ = {MARK}"),
        ("A.java", f"class {MARK}broken extends {MARK} {{}}"),
        ("a.cs", f"#error {MARK} in a.cs"),
        ("a.hpp", f'#error "{MARK} in a.hpp"'),
    ],
)
def test_a_compiler_prints_the_whole_mark(path: str, last: str) -> None:
    for style in (Style.RUNTIME, Style.LAST):
        assert broken(path, "text\n", MARK, style) == f"text\n\n{last}\n"


def test_lua_is_broken_on_top_because_its_last_statement_must_stay_last() -> None:
    text = "local M = {}\nreturn M\n"
    assert broken("a.lua", text, MARK, Style.LAST) == f'error("shiftwork" .. "_canary_3fa9c1_12_ in a.lua")\n{text}'


def test_a_path_cannot_end_the_message_it_stands_in() -> None:
    assert (
        broken('HEAD "MARK" $x @y.pl', "", MARK) == 'die "shiftwork" . "_canary_3fa9c1_12_ in HEAD _MARK_ _x _y.pl";\n'
    )
