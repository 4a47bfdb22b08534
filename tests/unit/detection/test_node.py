"""Which scripts of a Node project are gates, with which package manager, and in which packages of a workspace."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.detection.rig import found_in, gates_of

NO_TESTS = 'echo "Error: no test specified" && exit 1'


def package(**keys: Any) -> str:
    return json.dumps({"name": "shop", "devDependencies": {"vitest": "4"}, **keys})


def scripts(**named: str) -> str:
    return package(scripts=named)


BERRY = {"yarn.lock": "__metadata:\n  version: 8\n"}
MANAGERS: dict[str, tuple[dict[str, str], str, str]] = {
    "npm": ({"package-lock.json": "{}"}, "npm", "npm ci"),
    "npm with a shrinkwrap": ({"npm-shrinkwrap.json": "{}"}, "npm", "npm ci"),
    "npm without a lock": ({}, "npm", "npm install"),
    "pnpm": ({"pnpm-lock.yaml": ""}, "pnpm", "pnpm install --frozen-lockfile"),
    "yarn of the first version": ({"yarn.lock": "# yarn lockfile v1\n"}, "yarn", "yarn install --frozen-lockfile"),
    "yarn of today": (BERRY, "yarn", "yarn install --immutable"),
    "yarn of today by its settings": ({"yarn.lock": "", ".yarnrc.yml": ""}, "yarn", "yarn install --immutable"),
    "bun": ({"bun.lock": ""}, "bun", "bun install --frozen-lockfile"),
    "bun of old": ({"bun.lockb": ""}, "bun", "bun install --frozen-lockfile"),
}


@pytest.mark.parametrize("case", MANAGERS)
def test_the_lock_file_says_who_installs_and_runs(tmp_path: Path, case: str) -> None:
    files, manager, setup = MANAGERS[case]
    found = found_in(tmp_path, {"package.json": scripts(test="vitest run"), **files})
    assert gates_of(found) == {"test": f"{manager} run test"}
    assert found.setup == setup


@pytest.mark.parametrize(
    ("named", "files", "setup"),
    [
        ("bun@1.2", {}, "bun install"),
        ("pnpm@10.1", {"package-lock.json": "{}"}, "pnpm install"),
        ("yarn@1.22.22", {"yarn.lock": ""}, "yarn install --frozen-lockfile"),
        ("yarn@4.5", {"yarn.lock": ""}, "yarn install --immutable"),
        ("another@1", {"package-lock.json": "{}"}, "npm ci"),
    ],
)
def test_the_manifest_may_name_the_package_manager(
    tmp_path: Path, named: str, files: dict[str, str], setup: str
) -> None:
    manifest = package(packageManager=named, scripts={"test": "x"})
    assert found_in(tmp_path, {"package.json": manifest, **files}).setup == setup


def test_scripts_are_gates_under_the_names_of_gates(tmp_path: Path) -> None:
    manifest = scripts(lint="eslint .", **{"type-check": "tsc"}, test="vitest run", build="vite build", start="node .")
    assert gates_of(found_in(tmp_path, {"package.json": manifest})) == {
        "lint": "npm run lint",
        "typecheck": "npm run type-check",
        "test": "npm run test",
        "build": "npm run build",
    }


@pytest.mark.parametrize(
    ("named", "test"),
    [
        ({"test": "jest --watch", "test:ci": "jest --ci"}, "npm run test:ci"),
        ({"test": "jest --watchAll=true", "test:run": "jest"}, "npm run test:run"),
        ({"test": "jest --watch=false", "test:ci": "jest --ci"}, "npm run test"),
        ({"test": "jest --watch"}, "npm run test"),
    ],
)
def test_a_test_that_does_not_end_gives_way_to_one_that_does(tmp_path: Path, named: dict[str, str], test: str) -> None:
    assert gates_of(found_in(tmp_path, {"package.json": scripts(**named)})) == {"test": test}


@pytest.mark.parametrize(
    ("manifest", "setup"),
    [
        ({"scripts": {"test": "node --test"}}, ""),
        ({"scripts": {"test": "x"}, "dependencies": {}}, ""),
        ({"scripts": {"test": "x"}, "dependencies": {"a": "1"}}, "npm ci"),
        ({"scripts": {"test": "x", "prepare": "node build.js"}}, "npm ci"),
    ],
)
def test_nothing_is_installed_where_nothing_is_needed(tmp_path: Path, manifest: dict[str, Any], setup: str) -> None:
    found = found_in(tmp_path, {"package.json": json.dumps(manifest), "package-lock.json": "{}"})
    assert (gates_of(found), found.setup) == ({"test": "npm run test"}, setup)


def test_the_script_that_npm_init_writes_is_no_test(tmp_path: Path) -> None:
    assert gates_of(found_in(tmp_path, {"package.json": scripts(test=NO_TESTS)})) == {}


def test_bun_runs_tests_without_a_script(tmp_path: Path) -> None:
    files = {"package.json": package(), "bun.lock": "", "src/cart.test.ts": ""}
    assert gates_of(found_in(tmp_path, files)) == {"test": "bun test"}


def member(name: str, **named: str) -> str:
    return json.dumps({"name": name, "scripts": named})


MEMBERS = {
    "packages/cart/package.json": member("@shop/cart", test="vitest run", lint="eslint ."),
    "packages/shelf/package.json": member("@shop/shelf", test="vitest run"),
    "elsewhere/x/package.json": member("x", build="tsc"),
}
PNPM = "packages:\n  # ours\n  - 'packages/*'\n  - \"!packages/old\"\ncatalog:\n  - elsewhere/*\n"
WORKSPACES: dict[str, tuple[dict[str, str], str, str]] = {
    "npm": ({}, "npm run test --workspaces --if-present", "npm run lint --workspaces --if-present"),
    "pnpm": ({"pnpm-lock.yaml": "", "pnpm-workspace.yaml": PNPM}, "pnpm -r run test", "pnpm -r run lint"),
    "yarn of the first version": (
        {"yarn.lock": ""},
        "yarn workspaces run test",
        "yarn workspace @shop/cart run lint",
    ),
    "yarn of today": (BERRY, "yarn workspaces foreach --all run test", "yarn workspaces foreach --all run lint"),
    "bun": ({"bun.lock": ""}, "bun run --filter '*' test", "bun run --filter '*' lint"),
}


@pytest.mark.parametrize("case", WORKSPACES)
def test_a_script_that_only_packages_of_a_workspace_have_is_run_in_them(tmp_path: Path, case: str) -> None:
    files, test, lint = WORKSPACES[case]
    listed = {} if case == "pnpm" else {"workspaces": ["packages/*"]}
    manifest = json.dumps({"name": "shop", "private": True, **listed})
    found = found_in(tmp_path, {"package.json": manifest, **MEMBERS, **files})
    assert gates_of(found) == {"test": test, "lint": lint}
    assert "install" in found.setup or found.setup == "npm ci"


def test_the_script_of_the_root_is_preferred_to_those_of_packages(tmp_path: Path) -> None:
    manifest = package(workspaces={"packages": ["./packages/*"]}, scripts={"test": "turbo test"})
    gates = gates_of(found_in(tmp_path, {"package.json": manifest, **MEMBERS}))
    assert gates == {"test": "npm run test", "lint": "npm run lint --workspaces --if-present"}


@pytest.mark.parametrize(
    ("lock", "test"),
    [
        ("package-lock.json", "npm run test -w @shop/cart -w @shop/shelf"),
        ("pnpm-lock.yaml", "pnpm --filter @shop/cart --filter @shop/shelf run test"),
        ("yarn.lock", "yarn workspace @shop/cart run test && yarn workspace @shop/shelf run test"),
        ("bun.lock", "bun run --filter @shop/cart --filter @shop/shelf test"),
    ],
)
def test_packages_with_a_placeholder_are_left_out(tmp_path: Path, lock: str, test: str) -> None:
    manifest = package(workspaces=["packages/*"])
    files = {**MEMBERS, "packages/new/package.json": member("@shop/new", test=NO_TESTS), lock: ""}
    assert gates_of(found_in(tmp_path, {"package.json": manifest, **files}))["test"] == test


@pytest.mark.parametrize("pattern", ["packages/**", "packages/cart", "./packages/cart/"])
def test_a_workspace_names_its_packages_by_patterns(tmp_path: Path, pattern: str) -> None:
    manifest = package(workspaces=[pattern, "!packages/shelf"])
    gates = gates_of(found_in(tmp_path, {"package.json": manifest, **MEMBERS}))
    assert gates["lint"] == "npm run lint --workspaces --if-present"
    assert "build" not in gates
