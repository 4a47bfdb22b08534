"""Node repositories: npm workspaces without a script at their root, pnpm, jest, vitest."""

import json
from collections.abc import Callable
from typing import Any, Final

from tests.ordinary.row import Row, Story

CART: Final = """\
class Cart {
  constructor() {
    this.lines = [];
  }

  add(price, pieces = 1) {
    this.lines.push({ price, pieces });
  }

  total() {
    return this.lines.reduce((sum, line) => sum + line.price * line.pieces, 0);
  }
}
"""

COUNT: Final = """
  count() {
    return this.lines.reduce((sum, line) => sum + line.pieces, 0);
  }
}
"""

WITH_COUNT: Final = CART.removesuffix("}\n") + COUNT


def broken(cart: str) -> str:
    """The total forgets how many pieces there are."""
    return cart.replace("line.price * line.pieces", "line.price")


def common(cart: str) -> str:
    return f"{cart}\nmodule.exports = {{ Cart }};\n"


def module(cart: str) -> str:
    return f"export {cart}"


def node_test(name: str, expected: str, cart: str = "../cart.js") -> str:
    return f"""\
const test = require("node:test");
const assert = require("node:assert");
const {{ Cart }} = require("{cart}");

test("{name}", () => {{
  const cart = new Cart();
  cart.add(3, 2);
  cart.add(4);
  assert.equal({expected});
}});
"""


def expecting(imports: str, name: str, expected: str) -> str:
    return f"""\
{imports}

test("{name}", () => {{
  const cart = new Cart();
  cart.add(3, 2);
  cart.add(4);
  expect({expected});
}});
"""


_LOCK: Final = "npm install --silent --omit-lockfile-registry-resolved=false"
"""As npm does unless a user's settings say otherwise: without addresses it asks for every package again. It installs
the packages as well.
"""

IGNORED: Final = "node_modules/\ncoverage/\n"


def package(name: str, **more: Any) -> str:
    return json.dumps({"name": name, "version": "1.0.0", "private": True, **more}, indent=2) + "\n"


def count_story(path: str, written: Callable[[str], str], test: tuple[str, str], *, title: str = "") -> Story:
    """`written` makes a module of the class; `test` is the path of the new test and what is in it."""
    return Story(
        title=title or "Count the pieces in the cart",
        criterion="Cart.count returns how many pieces were added",
        broken={path: written(broken(WITH_COUNT))},
        right={path: written(WITH_COUNT), test[0]: test[1]},
    )


# Workspaces ------------------------------------------------------------------------------------------------------

_MEMBER_CART: Final = "packages/cart/index.js"
_MEMBER_TILL: Final = "packages/till/index.js"

_TILL: Final = """\
const { Cart } = require("@shop/cart");

function receipt(prices) {
  const cart = new Cart();
  for (const price of prices) cart.add(price);
  return `to pay: ${cart.total()}`;
}
"""
_CHANGE: Final = """
function change(prices, given) {
  const cart = new Cart();
  for (const price of prices) cart.add(price);
  return given - cart.total();
}
"""
_TILL_TEST: Final = """\
const test = require("node:test");
const assert = require("node:assert");
const till = require("../index.js");

test("{name}", () => {{
  assert.equal({expected});
}});
"""


def _till(text: str, *names: str) -> str:
    return f"{text}\nmodule.exports = {{ {', '.join(names)} }};\n"


_WORKSPACES: Final = Row(
    name="npm-workspaces",
    files={
        ".gitignore": IGNORED,
        "package.json": package("shop", workspaces=["packages/*"]),
        "packages/cart/package.json": package("@shop/cart", scripts={"test": "node --test"}),
        _MEMBER_CART: common(CART),
        "packages/cart/test/total.test.js": node_test("total", "cart.total(), 10", "../index.js"),
        "packages/till/package.json": package(
            "@shop/till", scripts={"test": "node --test"}, dependencies={"@shop/cart": "*"}
        ),
        _MEMBER_TILL: _till(_TILL, "receipt"),
        "packages/till/test/receipt.test.js": _TILL_TEST.format(
            name="receipt", expected='till.receipt([3, 4]), "to pay: 7"'
        ),
    },
    stories=(
        count_story(
            _MEMBER_CART,
            common,
            ("packages/cart/test/count.test.js", node_test("count", "cart.count(), 3", "../index.js")),
        ),
        Story(
            title="Give change at the till",
            criterion="change returns what is left of the money that was given",
            broken={_MEMBER_TILL: _till(_TILL.replace("to pay", "paid") + _CHANGE, "receipt", "change")},
            right={
                _MEMBER_TILL: _till(_TILL + _CHANGE, "receipt", "change"),
                "packages/till/test/change.test.js": _TILL_TEST.format(
                    name="change", expected="till.change([3, 4], 10), 3"
                ),
            },
        ),
    ),
    lock=_LOCK,
    install="npm ci --silent",
    check="npm test --workspaces --silent",
)


# pnpm, jest, vitest ------------------------------------------------------------------------------------------------


def _with_ms(cart: str) -> str:
    """Without what is installed it does not load."""
    return f'const ms = require("ms");\n\n{cart}\nmodule.exports = {{ Cart, keptFor: ms("2 days") }};\n'


_PNPM: Final = Row(
    name="pnpm",
    files={
        ".gitignore": IGNORED,
        "package.json": package("shop", scripts={"test": "node --test"}, dependencies={"ms": "^2.1.3"}),
        "cart.js": _with_ms(CART),
        "test/total.test.js": node_test("total", "cart.total(), 10"),
    },
    stories=(count_story("cart.js", _with_ms, ("test/count.test.js", node_test("count", "cart.count(), 3"))),),
    programs=("pnpm",),
    lock="pnpm install --silent",
    install="pnpm install --frozen-lockfile --silent",
    check="pnpm run --silent test",
)

_JEST_IMPORTS: Final = 'const { Cart } = require("../cart.js");'
_VITEST_IMPORTS: Final = 'import { expect, test } from "vitest";\nimport { Cart } from "../cart.js";'


_COUNT_HOLDS: Final = ("count", "cart.count()).toBe(3")

_JEST: Final = Row(
    name="jest",
    files={
        ".gitignore": IGNORED,
        "package.json": package("shop", scripts={"test": "jest"}, devDependencies={"jest": "^29.7.0"}),
        "cart.js": common(CART),
        "test/total.test.js": expecting(_JEST_IMPORTS, "total", "cart.total()).toBe(10"),
    },
    stories=(count_story("cart.js", common, ("test/count.test.js", expecting(_JEST_IMPORTS, *_COUNT_HOLDS))),),
    lock=_LOCK,
    install="npm ci --silent",
    check="npm test --silent",
)

_VITEST: Final = Row(
    name="vitest",
    files={
        ".gitignore": IGNORED,
        "package.json": package(
            "shop",
            type="module",
            scripts={"test": "vitest run"},
            devDependencies={"vitest": "2.1.9"},
            overrides={"rollup": "4.65.0"},  # not every registry has all of a later one's parts
        ),
        "cart.js": module(CART),
        "test/total.test.js": expecting(_VITEST_IMPORTS, "total", "cart.total()).toBe(10"),
    },
    stories=(count_story("cart.js", module, ("test/count.test.js", expecting(_VITEST_IMPORTS, *_COUNT_HOLDS))),),
    lock=_LOCK,
    install="npm ci --silent",
    check="npm test --silent",
)

NODE_ROWS: Final = (_WORKSPACES, _PNPM, _JEST, _VITEST)
