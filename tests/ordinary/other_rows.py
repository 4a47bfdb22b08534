"""Repositories in Rust and in Go, with a Makefile, with two languages, and without any tests."""

from typing import Final

from tests.ordinary import node_rows, python_rows
from tests.ordinary.python_rows import unittest_file
from tests.ordinary.row import Row, Story

# Rust --------------------------------------------------------------------------------------------------------------

_RUST_CART: Final = """\
//! A shopping cart.

#[derive(Default)]
pub struct Cart {
    lines: Vec<(u32, u32)>,
}

impl Cart {
    pub fn add(&mut self, price: u32, pieces: u32) {
        self.lines.push((price, pieces));
    }

    pub fn total(&self) -> u32 {
        self.lines.iter().map(|(price, pieces)| price * pieces).sum()
    }
}
"""
_RUST_COUNT: Final = """
impl Cart {
    pub fn count(&self) -> u32 {
        self.lines.iter().map(|(_, pieces)| pieces).sum()
    }
}
"""
_RUST_TEST: Final = """\
use cart::Cart;

#[test]
fn {name}() {{
    let mut cart = Cart::default();
    cart.add(3, 2);
    cart.add(4, 1);
    assert_eq!(cart.{name}(), {expected});
}}
"""

_RUST: Final = Row(
    name="rust",
    files={
        ".gitignore": "target/\n",
        "Cargo.toml": '[package]\nname = "cart"\nversion = "1.0.0"\nedition = "2021"\n',
        "src/lib.rs": _RUST_CART,
        "tests/total.rs": _RUST_TEST.format(name="total", expected=10),
    },
    stories=(
        Story(
            title="Count the pieces in the cart",
            criterion="Cart::count returns how many pieces were added",
            broken={"src/lib.rs": _RUST_CART.replace("price * pieces", "price - pieces") + _RUST_COUNT},
            right={
                "src/lib.rs": _RUST_CART + _RUST_COUNT,
                "tests/count.rs": _RUST_TEST.format(name="count", expected=3),
            },
        ),
    ),
    lock="cargo generate-lockfile --quiet",
    check="cargo test --quiet",
    debian=("cargo", "rustc"),
)

# Go ----------------------------------------------------------------------------------------------------------------

_GO_CART: Final = """\
// Package cart is a shopping cart.
package cart

type line struct{ price, pieces int }

// Cart holds what a customer wants to buy.
type Cart struct{ lines []line }

// Add puts pieces of something into the cart.
func (c *Cart) Add(price, pieces int) {
	c.lines = append(c.lines, line{price, pieces})
}

// Total is what all of it costs.
func (c *Cart) Total() int {
	sum := 0
	for _, one := range c.lines {
		sum += one.price * one.pieces
	}
	return sum
}
"""
_GO_COUNT: Final = """
// Count is how many pieces there are.
func (c *Cart) Count() int {
	sum := 0
	for _, one := range c.lines {
		sum += one.pieces
	}
	return sum
}
"""
_GO_TEST: Final = """\
package cart

import "testing"

func Test{name}(t *testing.T) {{
	c := &Cart{{}}
	c.Add(3, 2)
	c.Add(4, 1)
	if got := c.{name}(); got != {expected} {{
		t.Fatalf("got %d, want {expected}", got)
	}}
}}
"""

_GO: Final = Row(
    name="go",
    files={
        "go.mod": "module example.org/cart\n\ngo 1.19\n",
        "cart.go": _GO_CART,
        "cart_test.go": _GO_TEST.format(name="Total", expected=10),
    },
    stories=(
        Story(
            title="Count the pieces in the cart",
            criterion="Cart.Count returns how many pieces were added",
            broken={"cart.go": _GO_CART.replace("one.price * one.pieces", "one.price - one.pieces") + _GO_COUNT},
            right={"cart.go": _GO_CART + _GO_COUNT, "count_test.go": _GO_TEST.format(name="Count", expected=3)},
        ),
    ),
    check="go test ./...",
    debian=("go",),
)

# Make --------------------------------------------------------------------------------------------------------------

_FLAT: Final = python_rows.FLAT

_CHECK_DOES_MORE: Final = """\
.PHONY: check style test

check: style test

style:
	! grep -n 'print(' cart/*.py

test:
	python3 -m unittest discover -s tests
"""

_CART_WITH_CLEAR: Final = python_rows.CART + python_rows.COUNT + python_rows.CLEAR

_MAKE: Final = Row(
    name="make",
    files={**python_rows.sources(_FLAT, test_file=unittest_file), "Makefile": _CHECK_DOES_MORE},
    stories=(
        python_rows.count_story(_FLAT, test_file=unittest_file),
        Story(
            title="Empty the cart",
            criterion="Cart.clear removes everything from the cart",
            # The tests pass: only the other half of `make check` sees it.
            broken={_FLAT: f"{_CART_WITH_CLEAR}        print('cleared')\n"},
            right={_FLAT: _CART_WITH_CLEAR, "tests/test_clear.py": unittest_file("clear", python_rows.CLEAR_HOLDS)},
        ),
    ),
    check="make -s check",
)

# Two languages -------------------------------------------------------------------------------------------------------

_API: Final = f"api/{_FLAT}"
_WEB: Final = "web/cart.js"

_BOTH: Final = """\
.PHONY: test test-api test-web

test: test-api test-web

test-api:
	cd api && python3 -m unittest discover -s tests

test-web:
	cd web && npm test --silent
"""

_MONOREPO: Final = Row(
    name="monorepo",
    files={
        **python_rows.sources(_API, "api/tests", unittest_file),
        ".gitignore": python_rows.IGNORED + node_rows.IGNORED,
        "Makefile": _BOTH,
        "web/package.json": node_rows.package("web", scripts={"test": "node --test"}),
        _WEB: node_rows.common(node_rows.CART),
        "web/test/total.test.js": node_rows.node_test("total", "cart.total(), 10"),
    },
    stories=(
        python_rows.count_story(_API, "api/tests", unittest_file, title="Count the pieces in the api"),
        node_rows.count_story(
            _WEB,
            node_rows.common,
            ("web/test/count.test.js", node_rows.node_test("count", "cart.count(), 3")),
            title="Count the pieces in the web page",
        ),
    ),
    check="make -s test",
)

# No tests ------------------------------------------------------------------------------------------------------------

_NO_TESTS: Final = Row(
    name="no-tests",
    files={"README.md": "# Notes\n", "greet.sh": "#!/bin/sh\necho hello\n"},
    stories=(
        Story(
            title="Say goodbye",
            criterion="goodbye.sh prints goodbye",
            broken={},
            right={"goodbye.sh": "#!/bin/sh\necho goodbye\n"},
        ),
    ),
    check="",
)

OTHER_ROWS: Final = (_RUST, _GO, _MAKE, _MONOREPO, _NO_TESTS)
