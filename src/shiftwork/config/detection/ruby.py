"""Gates of a Ruby project: rubocop, rspec, Rails or rake, with Bundler."""

from collections.abc import Iterator
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.regexes import regex

_SETUP: Final = "bundle config set --local path vendor/bundle && bundle install --quiet"
_TEST_TASK: Final = regex(r"TestTask|Minitest::TestTask|task[ (]+:?[\"']?test\b")
_ALL_TESTS: Final = """ruby -Ilib -Itest -e 'Dir["test/**/*_test.rb"].sort.each { |file| require "./#{file}" }'"""


def find(folder: Folder) -> Detected:
    """The gems are installed into the tree."""
    if not folder.has("Gemfile"):
        return Detected()
    return Detected(gates=tuple(_gates(folder)), setup=_SETUP)


def _gates(folder: Folder) -> Iterator[FoundGate]:
    gems = folder.text("Gemfile") + folder.text("Gemfile.lock")
    if folder.has(".rubocop.yml") and "rubocop" in gems:
        yield FoundGate(name="lint", command="bundle exec rubocop", source=".rubocop.yml")
    specs = any(folder.below("spec").files(r".*_spec\.rb", depth=4))
    tests = any(folder.below("test").files(r".*_test\.rb|test_.*\.rb", depth=4))
    if specs:
        yield FoundGate(name="test", command="bundle exec rspec", source="spec")
    elif tests and folder.has("bin/rails"):
        yield FoundGate(name="test", command="bundle exec rails test", source="bin/rails")
    elif _TEST_TASK.search(folder.text("Rakefile")):
        yield FoundGate(name="test", command="bundle exec rake test", source="Rakefile")
    elif tests:
        yield FoundGate(name="test", command=f"bundle exec {_ALL_TESTS}", source="test")
