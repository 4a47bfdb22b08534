"""Which files the canary breaks, and to which source root each belongs."""

import json

import pytest

from shiftwork.domain.canary.canary_verdict import Sources
from shiftwork.domain.canary.source_root import is_manifest, source_root, sources
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.started_scripts import mentions

PLAIN = Protection(commands=("pytest -q",))


def of(*paths: str, commands: tuple[str, ...] = PLAIN.commands, mentioned: str = "") -> tuple[str, ...]:
    return sources(paths, Protection(commands=commands), mentioned).paths


def test_sources_lie_in_their_roots_in_one_order() -> None:
    tree = ("src/cart/b.py", "pyproject.toml", "tests/test_cart.py", "src/cart/a.py", "deploy.sh", "src/api/a.py")
    assert sources(tree, PLAIN) == Sources(
        roots={".": ("deploy.sh",), "src/api": ("src/api/a.py",), "src/cart": ("src/cart/a.py", "src/cart/b.py")}
    )
    assert sources((*tree, "deploy.sh"), PLAIN).paths == (
        *("deploy.sh", "src/api/a.py"),
        *("src/cart/a.py", "src/cart/b.py"),
    )


def test_an_empty_tree_has_none() -> None:
    assert sources((), PLAIN) == Sources()


def test_sources_that_cannot_be_broken_are_listed_apart() -> None:
    found = sources(("cart/fast.pyx", "cart/a.py", "cart/a.pyi", "App.fs", "x.bat", "tests/t.pyx"), PLAIN)
    assert found == Sources(roots={"cart": ("cart/a.py",)}, other=("App.fs", "cart/fast.pyx"))
    documents = ("bin/greet", "index.html", "tests/page.html", "fixtures/a.sql", "LICENSE", "serve.py")
    found = sources(documents, Protection(commands=("sh start/up",)))
    assert found == Sources(roots={".": ("serve.py",)}, other=("bin/greet", "index.html"))


@pytest.mark.parametrize(
    "path",
    [
        *("tests/test_a.py", "src/a.test.ts", "src/__tests__/a.ts", "spec/support/db.rb", "AppTests/Support.swift"),
        *("src/integrationTest/java/A.java", "fixtures/a.py", "pkg/testdata/a.go", "src/__mocks__/a.ts"),
        *("cart_pb2.py", "api/cart.pb.go", "src/a.generated.ts", "lib/a.g.dart", "src/generated/a.ts", "vendor/a.go"),
        *("third_party/a.c", "dist/a.js", "web/dist/a.js", "static/a.min.js", "build/a.py", "web/build/a.js"),
        *("setup.py", "manage.py", "crates/a/build.rs", "conftest.py", "noxfile.py", "tasks.py", "gulpfile.js"),
        *("vite.config.ts", "web/jest.config.js", "docs/conf.py", ".github/scripts/a.py", ".storybook/a.ts"),
        *("json.py", "src/pytest.py", "README.md", "a.sql"),
    ],
)
def test_what_is_no_product_source_stays_whole(path: str) -> None:
    assert of(path) == ()


@pytest.mark.parametrize(
    "path",
    [
        *("cart.py", "src/cart/json.py", "src/cart/tasks.py", "app/migrations/0001_a.py", "src/build/a.py"),
        *("src/main/java/com/build/A.java", "bin/cli.js", "src/features/a.rb", "src/testing/a.py", "scripts/a.sh"),
    ],
)
def test_what_is_product_source_is_broken(path: str) -> None:
    assert of(path) == (path,)


# What gates start -------------------------------------------------------------------------------------------------


def test_check_scripts_that_gates_name_stay_whole() -> None:
    assert of("checks/all.py", "prove.sh", "cart.py", commands=("python checks/all.py", "./prove.sh")) == ("cart.py",)


@pytest.mark.parametrize("command", ["python3 cart.py", "grep -q def cart.py", "pytest cart.py"])
def test_a_source_that_a_gate_names_stays_whole_for_that_gate_alone(command: str) -> None:
    tree, protection = ("cart.py", "shop.py"), Protection(commands=(command, "python3 -m unittest"))
    assert sources(tree, protection, own=("python3 -m unittest",)).paths == tree
    named = () if command.startswith("grep") else ("cart.py",)
    assert sources(tree, protection, own=(command,)).paths == tuple(path for path in tree if path not in named)


def test_what_a_script_only_reads_is_product() -> None:
    package = {"scripts": {"lint": "node --check lib/index.js && grep -q x lib/a.js", "test": "node --test"}}
    mentioned = mentions({"package.json": json.dumps(package)})
    assert of("lib/index.js", "lib/a.js", commands=("npm test",), mentioned=mentioned) == ("lib/a.js", "lib/index.js")


@pytest.mark.parametrize(
    "command",
    [
        "ruff check cart.py",
        "uv run ruff check cart.py && pytest",
        "python3 -m py_compile cart.py",
        "A=1 npx eslint cart.py; .venv/bin/mypy --strict cart.py",
    ],
)
def test_what_a_gate_only_reads_is_product(command: str) -> None:
    assert of("cart.py", commands=(command,)) == ("cart.py",)


def test_what_a_makefile_starts_stays_whole_and_what_it_compiles_does_not() -> None:
    makefile = "check: lint\n\t@./prove.sh\n\t-python -m pytest\n\tgcc -o cart main.c\n\nrun:\n\tpython app.py\n"
    tree = ("prove.sh", "main.c", "app.py")
    assert of(*tree, commands=("make check",), mentioned=mentions({"Makefile": makefile})) == ("app.py", "main.c")


def test_variables_of_a_makefile_end_no_recipe() -> None:
    makefile = "serve: build\n\tpython app.py\nPY := python\ntest:\n\tpython all.py\n"
    assert of("app.py", "all.py", mentioned=mentions({"Makefile": makefile})) == ("app.py",)


def test_only_the_scripts_of_a_package_start_something() -> None:
    package = {
        "main": "index.js",
        "scripts": {"test": "node scripts/check.js && jest", "start": "node server.js", "start:all": "node all.js"},
    }
    tree = ("web/index.js", "web/server.js", "web/all.js", "web/scripts/check.js", "scripts/check.js")
    text = mentions({"web/package.json": json.dumps(package)})
    assert text == "node web/scripts/check.js ; jest"
    assert of(*tree, mentioned=text) == ("scripts/check.js", "web/all.js", "web/index.js", "web/server.js")


@pytest.mark.parametrize("text", ["{", "[]", '{"scripts": []}', '{"scripts": {"test": 1}}', "{}"])
def test_a_package_that_says_nothing_starts_nothing(text: str) -> None:
    assert mentions({"package.json": text}) == ""


@pytest.mark.parametrize(
    "line", ['session.run("python", "checks/all.py")', "commands = python checks/all.py", "cd x && sh checks/all.py"]
)
def test_a_command_may_stand_anywhere_in_settings(line: str) -> None:
    assert of("checks/all.py", "a/checks/all.py", "cart.py", mentioned=mentions({"noxfile.py": line})) == ("cart.py",)


def test_a_path_that_settings_only_mention_is_product() -> None:
    settings = '[tool.ruff.lint.per-file-ignores]\n"cart/__init__.py" = ["F401"]\n[tool.x]\nomit = [\n  "cart/a.py",\n]'
    tree = ("cart/__init__.py", "cart/a.py")
    assert of(*tree, mentioned=mentions({"pyproject.toml": settings})) == tree


def test_a_tool_that_a_gate_starts_may_start_those_beside_it() -> None:
    tree = ("scripts/test.sh", "scripts/lib/env.sh", "web/scripts/a.sh", "src/cart/a.py")
    assert of(*tree, commands=("scripts/test.sh",)) == ("src/cart/a.py", "web/scripts/a.sh")


# Roots ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("cart.py", "."),
        ("cart/a/b.py", "cart"),
        ("src/cart.py", "src"),
        ("src/cart/a/b.py", "src/cart"),
        ("services/api/app/a.py", "services/api/app"),
        ("services/api/src/api/a.py", "services/api/src/api"),
        ("services/api/a.py", "services/api"),
        ("index.js", "."),
        ("src/components/a.tsx", "src"),
        ("packages/ui/src/a.ts", "packages/ui"),
        ("crates/a/src/lib.rs", "crates/a"),
        ("internal/cart/a.go", "internal"),
    ],
)
def test_a_file_belongs_to_what_people_would_name(path: str, root: str) -> None:
    assert source_root(path, {"", "services/api", "packages/ui", "crates/a"}) == root


@pytest.mark.parametrize("path", ["package.json", "a/Cargo.toml", "a/build.gradle.kts", "go.mod", "Cart.csproj"])
def test_a_manifest_makes_its_folder_a_member(path: str) -> None:
    assert is_manifest(path)


def test_a_module_of_a_package_is_no_manifest() -> None:
    tree = ("src/cart/__init__.py", "src/cart/tree/__init__.py", "src/cart/tree/setup.py", "src/cart/tree/a.py")
    assert set(sources(tree, PLAIN).roots) == {"src/cart"}


def test_many_roots_become_few() -> None:
    members = [f"packages/p{number:02}" for number in range(31)]
    tree = [path for member in members for path in (f"{member}/package.json", f"{member}/index.js")]
    assert set(sources(tree, PLAIN).roots) == {"packages"}
    assert len(sources(tree[:-2], PLAIN).roots) == 30
