"""Which folders are of tests alone, and which only look like that: the product must never be put back."""

from collections.abc import Mapping

import pytest

from shiftwork.domain.canary import test_support
from shiftwork.domain.canary.test_support import find_support, find_unnamed, plan_search, plan_unnamed
from shiftwork.domain.tampering.findings import Protection, Touched

PRICE = {
    "price.py": "def total(items): ...\n",
    "support/__init__.py": "",
    "support/checks.py": "def same(a, b):\n    assert a == b\n",
    "tests/test_price.py": "from price import total\nfrom support.checks import same\n",
}
SUPPORT = {"support/__init__.py", "support/checks.py"}


def found(tree: Mapping[str, str], *changed: str) -> frozenset[str]:
    touched = [Touched(path=path, letter="M") for path in changed or tree]
    search = plan_search(touched, tuple(tree), Protection())
    return find_support(search, tree, Protection())


def test_a_folder_that_only_tests_use_beside_the_product_is_theirs() -> None:
    assert found(PRICE) == SUPPORT
    assert found(PRICE, "support/checks.py") == SUPPORT
    assert found(PRICE, "price.py") == frozenset()


def test_the_helpers_of_javascript_tests_are_theirs_too() -> None:
    tree = {
        "src/total.ts": "export const total = 1;\n",
        "test-utils/index.ts": "export const same = 1;\n",
        "src/total.test.ts": 'import { total } from "./total";\nimport {\n  same,\n} from "../test-utils";\n',
    }
    assert found(tree, "test-utils/index.ts") == {"test-utils/index.ts"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("price.py", "from support import checks\n"),
        ("price.py", "PLUGINS = ['support.checks']\n"),
        ("pyproject.toml", '[tool.setuptools]\npackages = ["support"]\n'),
        ("Procfile", "web: gunicorn support:app\n"),
        ("support/checks.py", "from price import total\n"),
        ("support/pyproject.toml", ""),
        ("tests/test_support.py", "from support import checks\n"),
        ("tests/test_price.py", "from price import total\n"),
    ],
)
def test_a_folder_that_may_be_product_is_not(path: str, text: str) -> None:
    assert found({**PRICE, path: text}) == frozenset()


FLASK = {
    "app/__init__.py": "from app import views\ndef create_app(): ...\n",
    "app/views.py": "from models.user import User\n",
    "models/user.py": "class User: ...\n",
    "requirements.txt": "flask\n",
    "tests/test_app.py": "from app import create_app\nfrom models.user import User\n",
}
DJANGO = {
    "manage.py": 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")\n',
    "config/settings.py": 'INSTALLED_APPS = ["shop.apps.ShopConfig"]\nROOT_URLCONF = "config.urls"\n',
    "config/urls.py": "urlpatterns = []\n",
    "shop/apps.py": "class ShopConfig: ...\n",
    "shop/models.py": "class Cart: ...\n",
    "tests/test_cart.py": "from shop.models import Cart\nfrom config import settings\n",
}
NEXT = {
    "package.json": '{"scripts": {"dev": "next dev"}}',
    "app/page.tsx": 'import { total } from "../lib/total";\n',
    "components/Cart.tsx": 'import { total } from "@/lib/total";\n',
    "lib/total.ts": "export const total = 1;\n",
    "pages/api/cart.ts": "export default () => 1;\n",
    "__tests__/page.test.tsx": (
        'import Page from "../app/page";\nimport Cart from "../components/Cart";\n'
        'import { total } from "../lib/total";\nimport handler from "../pages/api/cart";\n'
    ),
}


@pytest.mark.parametrize("tree", [FLASK, DJANGO], ids=["flask", "django"])
def test_entry_points_and_modules_that_are_loaded_by_name_are_product(tree: Mapping[str, str]) -> None:
    assert found(tree) == frozenset()


def test_pages_are_product_although_nothing_imports_them() -> None:
    assert found(NEXT) == frozenset()


def test_a_very_large_repository_is_not_searched() -> None:
    many = {f"shop/module_{number}.py": "" for number in range(test_support.FILES)}
    assert found({**PRICE, **many}, "support/checks.py") == frozenset()


# What tests load and no product code names -----------------------------------------------------------------------

FLAT = {
    "price.py": "def total(items): ...\n",
    "cart.py": "import price\n",
    "checking.py": "def same(a, b):\n    assert a == b\n",
    "tests/test_cart.py": "import cart\nfrom checking import same\n",
    "tests/test_price.py": "import price\n",
}


def unnamed(tree: Mapping[str, str], *loaded: str, protection: Protection = Protection()) -> frozenset[str]:  # noqa: B008
    touched = [Touched(path=path, letter="M") for path in tree]
    search = plan_unnamed(touched, tuple(tree), loaded or tuple(tree), protection)
    return find_unnamed(search, tree)


def test_a_helper_beside_the_product_is_named_by_tests_alone() -> None:
    assert unnamed(FLAT, "checking.py", "price.py") == {"checking.py"}
    assert unnamed(FLAT, "price.py") == frozenset(), "the product names it"
    assert unnamed({**FLAT, "cart.py": "import price, checking\n"}, "checking.py") == frozenset()


def test_what_a_test_imports_by_itself_is_what_it_is_about() -> None:
    tree = {"price.py": "", "other.py": "", "tests/test_price.py": "import price\n"}
    assert unnamed(tree) == {"other.py"}, "loaded by name, as far as the sources say"
    assert unnamed(tree, "price.py") == frozenset()
    assert unnamed({**tree, "conftest.py": "import price\n"}, "price.py") == frozenset()
    assert unnamed({"price.py": "", "conftest.py": "import price\n"}, "price.py") == {"price.py"}


def test_runners_of_javascript_read_files_that_no_test_imports() -> None:
    assert unnamed({**NEXT, "tools/other.ts": ""}, "tools/other.ts") == frozenset()
    beside = {"tools/same.ts": "", "__tests__/shop.test.ts": 'import "../tools/same"; import "../lib/total";\n'}
    assert unnamed({**NEXT, **beside}, "tools/same.ts") == {"tools/same.ts"}


@pytest.mark.parametrize("test", ["tests/test_price.py", "tests/price_test.py", "tests/PriceTests.py"])
def test_what_a_test_is_named_after_is_what_it_is_about(test: str) -> None:
    """A library of modules that only its users import, whose tests use several of them."""
    both = "import price\nimport checking\n"
    tree = {"price.py": "", "checking.py": "", test: both}
    assert unnamed(tree) == {"checking.py"}
    assert unnamed({**tree, "tests/test_more.py": both}) == {"checking.py"}


def test_files_of_one_name_are_one_part_of_the_product() -> None:
    """An import names both: which of them it means depends on settings."""
    tree = {"api/cart/__init__.py": "", "web/cart.js": "", "api/tests/test_total.py": "from cart import Cart\n"}
    assert unnamed(tree) == frozenset()


def test_pages_and_routes_are_entry_points_although_only_tests_import_them() -> None:
    assert unnamed(NEXT) == {"components/Cart.tsx"}
    assert unnamed({**NEXT, "app/cart/route.ts": "", "routes/cart.tsx": "", "src/middleware.ts": ""}) == {
        "components/Cart.tsx"
    }


COMPILED = {
    "go": {
        "main.go": 'package main\nimport "shop/price"\n',
        "price/total.go": "package price\n",
        "price/tax.go": "package price\n",
        "price/total_test.go": 'package price\nimport "shop/checking"\n',
        "checking/same.go": "package checking\n",
        "e2e/shop_test.go": 'package e2e\nimport (\n\t"shop/checking"\n)\nimport "shop/price"\n',
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/main.rs": "fn main() { shop::cart::show(); }\n",
        "src/lib.rs": "pub mod cart;\npub mod price;\n",
        "src/cart.rs": "pub fn show() { crate::price::total(); }\n",
        "src/price.rs": "pub fn total() {}\n",
        "build.rs": "fn main() {}\n",
        "tests/cart.rs": "use shop::cart::show;\nuse shop::price::total;\n",
    },
    "java": {
        "pom.xml": "<project/>\n",
        "src/main/java/shop/Main.java": "package shop;\nclass Main { Cart cart; }\n",
        "src/main/java/shop/Cart.java": "package shop;\nclass Cart { Price price; }\n",
        "src/main/java/shop/Price.java": "package shop;\nclass Price {}\n",
        "src/test/java/all/CartTest.java": "import shop.Cart;\nimport shop.Price;\n",
    },
}


@pytest.mark.parametrize("language", ["rust", "java"])
def test_what_compilers_read_without_an_import_is_product(language: str) -> None:
    """Files of the same package, entry points, and what code names in full."""
    assert unnamed(COMPILED[language]) == frozenset()


def test_a_package_of_go_that_only_tests_import_is_named_by_tests_alone() -> None:
    assert unnamed(COMPILED["go"]) == {"checking/same.go"}
    alone = {**COMPILED["go"], "e2e/shop_test.go": 'package e2e\nimport "shop/checking"\n'}
    assert unnamed(alone) == frozenset(), "what a test imports by itself is what it is about"


def test_only_code_that_was_measured_and_that_is_not_protected_otherwise_is_looked_at() -> None:
    known = Protection(loaded=frozenset({"checking.py"}))
    assert unnamed(FLAT, "checking.py", "tests/test_cart.py", protection=known) == frozenset()
    assert unnamed(FLAT, "README.md") == frozenset()
    many = {f"shop/module_{number}.py": "" for number in range(test_support.FILES)}
    assert unnamed({**FLAT, **many}, "checking.py") == frozenset()
    new = [Touched(path="checking.py", letter="A")]
    assert not plan_unnamed(new, tuple(FLAT), ("checking.py",), Protection()).within
