"""Large files of a change are reported, and a person is asked before they land."""

from shiftwork.domain.tampering.file_size_limit import MEGABYTE, large_files_named, with_large
from shiftwork.domain.tampering.findings import Inspection, Touched

SMALL = Touched(path="a.py", letter="M")
AT_THE_LIMIT = Touched(path="data.csv", letter="A", size=50 * MEGABYTE)


def large(count: int) -> list[Touched]:
    return [Touched(path=f"{number}.bin", letter="A", size=(51 + number) * MEGABYTE) for number in range(count)]


def test_a_change_without_large_files_stays_as_it_was() -> None:
    assert with_large(Inspection(), [SMALL, AT_THE_LIMIT], 50) == Inspection()
    assert not large_files_named(Inspection())


def test_a_large_file_is_named_with_its_size_and_asked_about() -> None:
    found = with_large(Inspection(), [SMALL, *large(2)], 50)
    assert found.held
    assert found.message == "2 large file (0.bin, 1.bin)"
    assert large_files_named(found) == "it adds large files (0.bin, 51 MB; 1.bin, 52 MB)"


def test_of_many_large_files_some_are_named_and_all_are_counted() -> None:
    found = with_large(Inspection(), large(100), 50)
    assert len(found.findings) == 21, "the last stands for the others"
    assert found.message == "100 large file (0.bin, 1.bin, 2.bin and more)"
    assert large_files_named(found).endswith("2.bin, 53 MB and 97 more)")


def test_what_does_not_land_is_not_asked_about() -> None:
    kept = Inspection(kept=("0.bin",), left_out=("0.bin",))
    assert with_large(kept, large(1), 50) == kept
