"""Each moment of a benchmark's story has one kind."""

from bench.seconds_by_kind import REST, seconds_by_kind


def test_a_moment_has_the_first_kind_that_applies_and_the_rest_is_ours() -> None:
    intervals = [
        ("trees", 0.0, 4.0),
        ("git", 1.0, 2.0),
        ("store", 3.5, 6.0),
        ("work", 5.0, 7.0),
        ("work", 5.5, 6.5),
        ("git", -5.0, -1.0),
        ("store", 9.0, 20.0),
    ]
    assert seconds_by_kind(intervals, 0.0, 10.0) == {"trees": 3.0, "git": 1.0, "store": 2.0, "work": 2.0, REST: 2.0}


def test_what_no_call_covers_is_ours() -> None:
    assert seconds_by_kind([], 1.0, 3.0) == {REST: 2.0}
