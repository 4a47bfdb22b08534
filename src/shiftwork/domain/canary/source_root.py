"""Which files of a tree the canary breaks, and the source root of each: a package or a workspace member.

Tests, fixtures, generated files and what configures or starts gates stay intact, so that no gate is red for the wrong
reason. Where the name is ambiguous, a file stays intact: at worst, a source that is not broken makes a verdict unknown.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Final

from shiftwork.domain.canary.canary_verdict import Sources
from shiftwork.domain.canary.mutation import can_break
from shiftwork.domain.gates.commands import TOOLING, is_check_script, named, without_reading
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.product_paths import is_product_source
from shiftwork.domain.tampering.protected_paths import FOLDERS, is_test
from shiftwork.domain.tampering.restore import shadows
from shiftwork.domain.tampering.started_scripts import started
from shiftwork.domain.text.file_types import ending
from shiftwork.domain.text.globs import matches
from shiftwork.records import replace

_FIXTURES: Final = (
    *("**/fixtures/**", "**/fixture/**", "**/testdata/**", "**/test_data/**", "**/test-data/**", "**/__fixtures__/**"),
    *("**/__mocks__/**", "**/mocks/**", "**/mock/**", "**/snapshots/**", "**/__snapshots__/**", "**/testutils/**"),
    *("**/e2e/**", "**/cypress/**", "**/playwright/**", "**/*Tests/**", "**/spec/**/*.rb", "features/**/*.rb"),
    *("**/src/*Test/**", "**/src/testFixtures/**", "**/integration-tests/**"),
)
_GENERATED: Final = (
    *("*_pb2.py", "*_pb2_grpc.py", "*.pb.*", "*_generated.*", "*.generated.*", "*.gen.*", "zz_generated*"),
    *("*.g.dart", "*.freezed.dart", "*.min.*", "*.bundle.js", "*.designer.cs", "*.Designer.cs"),
    *("**/generated/**", "**/__generated__/**", "**/vendor/**", "**/third_party/**", "**/third-party/**"),
    *("**/node_modules/**", "**/site-packages/**", "**/dist/**"),
)
_BUILT: Final = frozenset({"build", "out", "target"})
"""Folders for build output, where they are beside a `src` folder and not below it."""
_STARTING: Final = (
    *("manage.py", "build.rs", "/tasks.py", "fabfile.py", "dodo.py", "conanfile.py", "versioneer.py", "_version.py"),
    *("gulpfile.*", "Gruntfile.*", "Jakefile.*", "*.config.*", "*.conf.*", "*.setup.*", "webpack.*.js"),
    *("**/docs/conf.py", "**/doc/conf.py", "Package.swift", "build.zig", "project.clj", "build.sc"),
    *("**/buildSrc/**", "project/*.scala"),
)
_MANIFESTS: Final = (
    *("package.json", "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "go.mod", "pom.xml", "build.gradle*"),
    *("mix.exs", "Gemfile", "*.gemspec", "composer.json", "Package.swift", "pubspec.yaml", "build.sbt", "*.csproj"),
    *("CMakeLists.txt", "meson.build", "rebar.config", "*.cabal", "dune-project", "Project.toml", "deno.json*"),
    *("build.zig", "project.clj", "deps.edn", "requirements.txt", "Makefile.PL", "DESCRIPTION"),
)
_MANY: Final = 30
_PATHS_KNOWN: Final = 1 << 18
"""Trees share most of their paths, so results for paths are cached."""
_ABOVE_PACKAGES: Final = frozenset({"src", "lib", "python"})
_OTHER: Final = frozenset({"pyx", "fs", "vb", "cljs", "m"})
_MARKUP: Final = frozenset(
    {"html", "htm", "css", "scss", "less", "sql", "sol", "tf", "elm", "cr", "f90", "cu", "v", "sv"}
)
"""Languages of products that cannot be broken reliably."""


def sources(paths: Iterable[str], protection: Protection, mentioned: str = "", own: tuple[str, ...] = ()) -> Sources:
    """Every product source among the tracked files of a commit. `mentioned` is the result of `mentions` for the files
    that configure gates, or their plain text; files that it starts stay intact. So do all files that the examined
    gate's `own` commands name; a file that another gate names stays intact where it is a check script.
    """
    tracked = sorted(set(paths))
    protection = without_readers(protection)
    judging = named(tuple(without_reading(command) for command in own))
    scripts = {path for path in named(protection.commands).run if is_check_script(path)}
    starting = started(mentioned) | judging.run | judging.otherwise | scripts
    product = [path for path in tracked if _breakable(path, protection) and not _starts(path, starting)]
    # In a Python package, `setup.py` is a module like any other.
    packages = {path.removesuffix("/__init__.py") for path in tracked if path.endswith("/__init__.py")}
    manifests = {path.rpartition("/")[0] for path in tracked if is_manifest(path)} - packages
    roots = {path: source_root(path, manifests) for path in product if can_break(path)}
    if len(set(roots.values())) > _MANY:
        roots = {path: root.partition("/")[0] for path, root in roots.items()}
    pairs = sorted((root, path) for path, root in roots.items())
    return Sources(
        roots={root: tuple(path for _, path in group) for root, group in groupby(pairs, key=lambda pair: pair[0])},
        other=tuple(path for path in tracked if _is_other(path, protection) and not _starts(path, starting)),
    )


@lru_cache(maxsize=_PATHS_KNOWN)
def _breakable(path: str, protection: Protection) -> bool:
    folders = path.split("/")[:-1]
    built = not _BUILT.isdisjoint(takewhile(lambda part: part != "src", folders))
    return is_changeable(path, protection) and not (built or matches(_GENERATED, path))


def _is_other(path: str, protection: Protection) -> bool:
    """Whether it may be product that cannot be broken reliably; a program in `bin` without a file extension counts."""
    language = ending(path)
    if language in _OTHER:
        return _breakable(path, protection)
    plain = language in _MARKUP or (not language and path.startswith("bin/"))
    return plain and not (matches((*FOLDERS, *_FIXTURES, *_GENERATED), path) or is_test(path, protection))


def is_changeable(path: str, protection: Protection) -> bool:
    """Whether it is a product source, written or generated, and neither a fixture nor a file that starts gates."""
    if not is_product_source(path, protection) or shadows(path, protection):
        return False
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not (hidden or matches((*_FIXTURES, *_STARTING), path))


def without_readers(protection: Protection) -> Protection:
    """Files that linters and compilers get as arguments are product, because a gate only reads them."""
    return replace(protection, commands=tuple(without_reading(command) for command in protection.commands))


def is_manifest(path: str) -> bool:
    """Whether it marks its folder as a package or a workspace member."""
    return matches(_MANIFESTS, path)


def source_root(path: str, manifests: Collection[str]) -> str:
    """The package or workspace member of a file, as people name it; `.` is the root of the tree.

    `manifests` are the folders that have a manifest. In Python a member may contain several packages.
    """
    folders = path.split("/")[:-1]
    depth = next((count for count in range(len(folders), 0, -1) if "/".join(folders[:count]) in manifests), 0)
    inner = folders[depth:]
    if ending(path) == "py":
        inner = inner[: 2 if inner[:1] and inner[0] in _ABOVE_PACKAGES else 1]
    else:
        inner = [] if depth else inner[:1]
    return "/".join((*folders[:depth], *inner)) or "."


# What starts gates -----------------------------------------------------------------------------------------------


def _starts(path: str, starting: Collection[str]) -> bool:
    """Whether it is started, or is in a tools folder with a file that is. A command may run in another folder."""
    parts = path.split("/")
    ends = ("/".join(parts[place:]) for place in range(max(len(parts) - 1, 1)))
    if any(name in starting for name in ends):
        return True
    tools = (place for place, part in enumerate(parts[:-1]) if part in TOOLING)
    return any(name.startswith("/".join(parts[: place + 1]) + "/") for place in tools for name in starting)
