"""Repositories of web frameworks, which load code by name: an application factory, settings, pages."""

import json
from typing import Final

from tests.ordinary.row import Row, Story

_UV: Final = "uv venv -q --seed --clear .venv && uv pip install -q -p .venv -r requirements.txt"

# Flask: only tests call the factory; `flask --app shop run` finds it by its name -------------------------------------

_FACTORY: Final = """\
from flask import Flask

from prices.total import total


def create_app():
    app = Flask(__name__)

    @app.get("/total")
    def show_total():
        return {"total": total([3, 4])}

    return app
"""
_COUNTING: Final = """\
    @app.get("/count")
    def show_count():
        return {"count": len([3, 4])}

    return app
"""
_FLASK_COUNT: Final = _FACTORY.replace("    return app\n", _COUNTING)


def _flask_test(name: str, expected: int) -> str:
    return f"""\
from prices.total import total
from shop import create_app


def test_{name}():
    assert total([3]) == 3
    assert create_app().test_client().get("/{name}").json == {{"{name}": {expected}}}
"""


FLASK: Final = Row(
    name="flask",
    files={
        "shop/__init__.py": _FACTORY,
        "prices/__init__.py": "",
        "prices/total.py": "def total(prices):\n    return sum(prices)\n",
        "tests/test_total.py": _flask_test("total", 7),
        "requirements.txt": "flask\npytest\n",
        ".gitignore": ".venv/\n__pycache__/\n.pytest_cache/\n",
    },
    stories=(
        Story(
            title="Show how many prices there are",
            criterion="/count shows the number of prices",
            broken={"shop/__init__.py": _FACTORY.replace("total([3, 4])", "total([3])")},
            right={"shop/__init__.py": _FLASK_COUNT, "tests/test_count.py": _flask_test("count", 2)},
        ),
    ),
    install=_UV,
    active=True,
    check="python3 -m pytest -q",
)

# Django: settings, addresses and applications are named in texts -----------------------------------------------------

_SETTINGS: Final = """\
SECRET_KEY = "tests"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "config.urls"
INSTALLED_APPS = ["shop.apps.ShopConfig"]
"""
_URLS: Final = """\
from django.urls import path

from shop import views

urlpatterns = [
    path("total", views.show_total),
]
"""
_VIEWS: Final = """\
from django.http import JsonResponse


def show_total(request):
    return JsonResponse({"total": sum([3, 4])})
"""
_COUNT_VIEW: Final = """\


def show_count(request):
    return JsonResponse({"count": len([3, 4])})
"""


def _django_test(name: str, expected: int) -> str:
    return f"""\
from django.test import SimpleTestCase


class Shown(SimpleTestCase):
    def test_{name}(self):
        self.assertEqual(self.client.get("/{name}").json(), {{"{name}": {expected}}})
"""


DJANGO: Final = Row(
    name="django",
    files={
        "manage.py": (
            "import os\nimport sys\n\nfrom django.core.management import execute_from_command_line\n\n"
            'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")\nexecute_from_command_line(sys.argv)\n'
        ),
        "config/__init__.py": "",
        "config/settings.py": _SETTINGS,
        "config/urls.py": _URLS,
        "shop/__init__.py": "",
        "shop/apps.py": 'from django.apps import AppConfig\n\n\nclass ShopConfig(AppConfig):\n    name = "shop"\n',
        "shop/views.py": _VIEWS,
        "tests/__init__.py": "",
        "tests/test_total.py": _django_test("total", 7),
        "requirements.txt": "django\n",
        ".gitignore": ".venv/\n__pycache__/\n",
    },
    stories=(
        Story(
            title="Show how many prices there are",
            criterion="/count shows the number of prices",
            broken={"shop/views.py": _VIEWS.replace("[3, 4]", "[3]")},
            right={
                "config/settings.py": f"{_SETTINGS}USE_TZ = True\n",
                "config/urls.py": _URLS.replace("]\n", '    path("count", views.show_count),\n]\n'),
                "shop/views.py": _VIEWS + _COUNT_VIEW,
                "tests/test_count.py": _django_test("count", 2),
            },
        ),
    ),
    install=_UV,
    active=True,
    check="python3 manage.py test",
)

# Next: pages are found by their folder -------------------------------------------------------------------------------

_PACKAGE: Final = {
    "name": "shop",
    "version": "1.0.0",
    "private": True,
    "type": "module",
    "scripts": {"dev": "next dev", "test": "node --test"},
    "dependencies": {"next": "14.2.35", "react": "^18", "react-dom": "^18"},
}
_PAGE: Final = """\
import { total } from "../../lib/total.js";

export default function showTotal(request, response) {
  response.json({ total: total([3, 4]) });
}
"""


def _next_test(name: str, expected: int) -> str:
    return f"""\
import assert from "node:assert";
import test from "node:test";
import {{ total }} from "../lib/total.js";
import show from "../pages/api/{name}.js";

test("{name}", () => {{
  assert.equal(total([3]), 3);
  show({{}}, {{ json: (said) => assert.deepEqual(said, {{ {name}: {expected} }}) }});
}});
"""


NEXT: Final = Row(
    name="next",
    files={
        "package.json": json.dumps(_PACKAGE, indent=2) + "\n",
        "lib/total.js": "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
        "pages/index.js": "export default function Home() {\n  return null;\n}\n",
        "pages/api/total.js": _PAGE,
        "test/total.test.js": _next_test("total", 7),
        ".gitignore": "node_modules/\n.next/\n",
    },
    stories=(
        Story(
            title="Show how many prices there are",
            criterion="/api/count shows the number of prices",
            broken={"pages/api/total.js": _PAGE.replace("[3, 4]", "[3]")},
            right={
                "pages/api/total.js": _PAGE.replace("[3, 4]", "[4, 3]"),
                "pages/api/count.js": (
                    "export default function showCount(request, response) {\n  response.json({ count: 2 });\n}\n"
                ),
                "test/count.test.js": _next_test("count", 2),
            },
        ),
    ),
    lock="npm install --silent --omit-lockfile-registry-resolved=false",
    install="npm ci --silent",
    check="npm test --silent",
)

# Next, as it is built: the build loads pages by their place, and keeps what it has compiled of them -------------------

_HOME: Final = """\
import { createElement } from "react";
import { total } from "../lib/total.js";

export default function Home() {
  return createElement("p", null, `to pay: ${total([3, 4])}`);
}
"""
_HOME_WITH_COUNT: Final = _HOME.replace("{ total }", "{ count, total }").replace(
    "${total([3, 4])}", "${total([3, 4])} for ${count([3, 4])}"
)
_TOTAL: Final = NEXT.files["lib/total.js"]
_COUNT: Final = "export const count = (prices) => prices.length;\n"


def _home_test(name: str, expected: str) -> str:
    return f"""\
import assert from "node:assert";
import test from "node:test";
import {{ createElement }} from "react";
import {{ renderToStaticMarkup }} from "react-dom/server";
import {{ total }} from "../lib/total.js";
import Home from "../pages/index.js";

test("{name}", () => {{
  assert.equal(total([3]), 3);
  assert.match(renderToStaticMarkup(createElement(Home)), /{expected}/);
}});
"""


NEXT_BUILD: Final = Row(
    name="next-build",
    files={
        "package.json": json.dumps(
            {**_PACKAGE, "scripts": {"build": "NEXT_TELEMETRY_DISABLED=1 next build", "test": "node --test"}}, indent=2
        )
        + "\n",
        "next.config.mjs": "export default { eslint: { ignoreDuringBuilds: true } };\n",
        "lib/total.js": _TOTAL,
        "pages/index.js": _HOME,
        "test/home.test.js": _home_test("home", "to pay: 7"),
        ".gitignore": NEXT.files[".gitignore"],
    },
    stories=(
        Story(
            title="Show how many prices there are",
            criterion="The page shows the number of prices",
            broken={"lib/total.js": _TOTAL, "pages/index.js": _HOME_WITH_COUNT},  # which imports what is not there
            right={
                "lib/total.js": _TOTAL + _COUNT,
                "pages/index.js": _HOME_WITH_COUNT,
                "test/count.test.js": _home_test("count", "for 2"),
            },
        ),
    ),
    lock=NEXT.lock,
    install=NEXT.install,
    check="npm run --silent build && npm test --silent",
)

WEB_ROWS: Final = (FLASK, DJANGO, NEXT, NEXT_BUILD)
