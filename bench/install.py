"""What an installation brings: packages, megabytes and seconds, without extras against all extras.

Builds the wheel and installs it twice, into fresh environments, with `uv` and whatever index it is set up for. Sizes
are those of the files that the wheels contain. Bytecode is shown beside them, and the limit and the ratio do not count
it: pip compiles all of it, uv none, and an interpreter only what it imports. The seconds depend on what uv has in its
cache. The exit code is 0 only within the limits.
"""

import importlib.metadata
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = "shiftwork"
MOST_PACKAGES = 16
MOST_MEGABYTES = 40.0
MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Package:
    """An installed distribution, in megabytes."""

    name: str
    files: float
    bytecode: float


@dataclass(frozen=True, kw_only=True)
class Installation:
    """`seconds` and `processor` are what `uv pip install` took, compiling included."""

    packages: tuple[Package, ...]
    seconds: float
    processor: float

    @property
    def dependencies(self) -> tuple[Package, ...]:
        return tuple(package for package in self.packages if package.name != OWN)

    @property
    def megabytes(self) -> float:
        return sum(package.files for package in self.dependencies)

    @property
    def own(self) -> float:
        return sum(package.files for package in self.packages if package.name == OWN)

    @property
    def bytecode(self) -> float:
        return sum(package.bytecode for package in self.dependencies)


def uv(*words: str | Path) -> None:
    program = shutil.which("uv") or ROOT / ".cache/tools/bin/uv"
    subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def installed(wheel: Path, extras: str, folder: Path) -> Installation:
    uv("venv", "--python", sys.executable, folder)
    began, used = time.perf_counter(), processor()
    uv("pip", "install", "--compile-bytecode", "--python", folder / "bin/python", f"{wheel}{extras}")
    seconds, used = time.perf_counter() - began, processor() - used
    library = next(folder.glob("lib/python*/site-packages"))
    found = tuple(map(measured, importlib.metadata.distributions(path=[str(library)])))
    return Installation(packages=found, seconds=seconds, processor=used)


def measured(distribution: importlib.metadata.Distribution) -> Package:
    listed = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    compiled = [Path(cache_from_source(str(file))) for file in listed if file.suffix == ".py"]
    return Package(
        name=distribution.name.lower(),
        files=megabytes(file for file in listed if file.suffix != ".pyc"),
        bytecode=megabytes(compiled),
    )


def megabytes(files: Iterable[Path]) -> float:
    return sum(file.stat().st_size for file in files if file.is_file()) / MEGABYTE


def show(title: str, found: Installation) -> None:
    print(
        f"{title:<16} {len(found.packages):>8} {found.megabytes:>9.1f} MB {found.bytecode:>6.1f} MB"
        f" {found.own:>6.1f} MB {found.seconds:>7.1f} s {found.processor:>7.1f} s"
    )


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        uv("build", "--wheel", "--out-dir", folder, ROOT)
        wheel = next(folder.glob("*.whl"))
        every = installed(wheel, "[all]", folder / "all")
        bare = installed(wheel, "", folder / "bare")
    for package in sorted(bare.dependencies, key=lambda package: -package.files):
        print(f"{package.name:<24} {package.files:>6.2f} MB {package.bytecode:>6.2f} MB of bytecode")
    print(
        f"\n{'':<16} {'packages':>8} {'dependencies':>12} {'bytecode':>9} {OWN:>9} {'install':>9} {'processor':>9}"
        f"   (packages include {OWN})"
    )
    show("with [all]", every)
    show("without extras", bare)
    print(f"limits: {MOST_PACKAGES} packages, {MOST_MEGABYTES:.0f} MB of dependencies; bytecode is not counted")
    print(f"{bare.megabytes / every.megabytes:.2f}")
    return int(len(bare.packages) > MOST_PACKAGES or bare.megabytes > MOST_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
