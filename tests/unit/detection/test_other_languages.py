"""Which checks projects of Rust, Go, Java, Ruby, Elixir, PHP and .NET have, and what they install."""

from pathlib import Path

import pytest

from tests.unit.detection.rig import found_in, gates_of, laid, program

BUNDLE = "bundle config set --local path vendor/bundle && bundle install --quiet"
ALL_TESTS = """ruby -Ilib -Itest -e 'Dir["test/**/*_test.rb"].sort.each { |file| require "./#{file}" }'"""
MIX = (
    "mix local.hex --force --if-missing && mix local.rebar --force --if-missing"
    " && mix deps.get && MIX_ENV=test mix deps.compile"
)
COMPOSER = "composer install --no-interaction --quiet"

CASES: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "rust": (
        {"Cargo.toml": "[package]\nname = 'a'\n"},
        {"typecheck": "cargo check --all-targets", "test": "cargo test"},
        "",
    ),
    "rust, a workspace with lints": (
        {"Cargo.toml": "[workspace]\nmembers = ['a']\n[workspace.lints.rust]\nunsafe_code = 'forbid'\n"},
        {
            "lint": "cargo clippy --workspace --all-targets -- -D warnings",
            "typecheck": "cargo check --workspace --all-targets",
            "test": "cargo test --workspace",
        },
        "",
    ),
    "rust with settings for clippy": (
        {"Cargo.toml": "[package]\n", "clippy.toml": ""},
        {
            "lint": "cargo clippy --all-targets -- -D warnings",
            "typecheck": "cargo check --all-targets",
            "test": "cargo test",
        },
        "",
    ),
    "go": ({"go.mod": "module a\n"}, {"lint": "go vet ./...", "test": "go test ./...", "build": "go build ./..."}, ""),
    "go with a linter that is not installed": (
        {"go.mod": "module a\n", ".golangci.yml": ""},
        {"lint": "go vet ./...", "test": "go test ./...", "build": "go build ./..."},
        "",
    ),
    "go, a workspace": (
        {"go.work": "go 1.24\nuse (\n\t./api // the service\n\t./lib/\n)\n"},
        {
            "lint": "go vet ./api/... ./lib/...",
            "test": "go test ./api/... ./lib/...",
            "build": "go build ./api/... ./lib/...",
        },
        "",
    ),
    "go, a workspace of one": (
        {"go.work": "use ./api\n"},
        {"lint": "go vet ./api/...", "test": "go test ./api/...", "build": "go build ./api/..."},
        "",
    ),
    "maven": ({"pom.xml": ""}, {"test": "mvn -B -ntp test"}, ""),
    "maven with a wrapper that is not executable": (
        {"pom.xml": "", "mvnw": ""},
        {"test": "sh mvnw -B -ntp test"},
        "",
    ),
    "gradle": ({"build.gradle": ""}, {"test": "gradle --no-daemon test"}, ""),
    "gradle with checks": (
        {"build.gradle.kts": 'plugins { id("com.diffplug.spotless") }'},
        {"lint": "gradle --no-daemon check -x test", "test": "gradle --no-daemon test"},
        "",
    ),
    "rspec and rubocop": (
        {"Gemfile": "gem 'rubocop'\n", ".rubocop.yml": "", "spec/models/cart_spec.rb": ""},
        {"lint": "bundle exec rubocop", "test": "bundle exec rspec"},
        BUNDLE,
    ),
    "rubocop that is not among the gems": (
        {"Gemfile": "", ".rubocop.yml": "", "spec/cart_spec.rb": ""},
        {"test": "bundle exec rspec"},
        BUNDLE,
    ),
    "rails": (
        {"Gemfile": "", "bin/rails": "", "Rakefile": "", "test/models/cart_test.rb": ""},
        {"test": "bundle exec rails test"},
        BUNDLE,
    ),
    "rake": (
        {"Gemfile": "", "Rakefile": "Rake::TestTask.new(:test)\n"},
        {"test": "bundle exec rake test"},
        BUNDLE,
    ),
    "minitest without a task": ({"Gemfile": "", "test/a_test.rb": ""}, {"test": f"bundle exec {ALL_TESTS}"}, BUNDLE),
    "ruby without tests": ({"Gemfile": ""}, {}, ""),
    "mix": ({"mix.exs": "defp deps, do: []\n"}, {"test": "mix test"}, ""),
    "mix with dependencies and a formatter": (
        {"mix.exs": '{:jason, "~> 1.4"}', ".formatter.exs": ""},
        {"lint": "mix format --check-formatted", "test": "mix test"},
        MIX,
    ),
    "mix with credo": (
        {"mix.exs": '{:credo, "~> 1.7", only: :dev}', ".formatter.exs": ""},
        {"lint": "mix credo", "test": "mix test"},
        MIX,
    ),
    "composer": (
        {"composer.json": '{"scripts": {"test": "phpunit", "lint": "phpcs"}}'},
        {"lint": "composer lint", "test": "composer test"},
        COMPOSER,
    ),
    "phpunit": ({"composer.json": "{}", "phpunit.xml.dist": ""}, {"test": "vendor/bin/phpunit"}, COMPOSER),
    "pest": (
        {"composer.json": "{}", "phpunit.xml": "", "tests/Pest.php": ""},
        {"test": "vendor/bin/pest"},
        COMPOSER,
    ),
    "dotnet": (
        {"a.sln": "", "tests/a.Tests/a.Tests.csproj": '<PackageReference Include="Microsoft.NET.Test.Sdk" />'},
        {"test": "dotnet test"},
        "",
    ),
    "dotnet without tests": ({"a.csproj": ""}, {"build": "dotnet build"}, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_checks_are_found(tmp_path: Path, case: str) -> None:
    files, gates, setup = CASES[case]
    found = found_in(tmp_path, files)
    assert (gates_of(found), found.setup) == (gates, setup)


@pytest.mark.parametrize(
    ("manifest", "wrapper", "test"),
    [
        ("pom.xml", "mvnw", "./mvnw -B -ntp test"),
        ("settings.gradle", "gradlew", "./gradlew --no-daemon test"),
    ],
)
def test_a_wrapper_is_preferred_to_the_program(tmp_path: Path, manifest: str, wrapper: str, test: str) -> None:
    laid(tmp_path, {wrapper: "#!/bin/sh\n"})
    (tmp_path / wrapper).chmod(0o755)
    assert gates_of(found_in(tmp_path, {manifest: ""})) == {"test": test}


def test_a_linter_of_go_runs_where_it_is_configured_and_installed(tmp_path: Path) -> None:
    files = {"go.mod": "", ".golangci.yml": ""}
    found = found_in(tmp_path / "project", files, program(tmp_path, "golangci-lint"))
    assert gates_of(found)["lint"] == "golangci-lint run ./..."
