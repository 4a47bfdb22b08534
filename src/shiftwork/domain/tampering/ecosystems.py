"""The names of tests, recorded outputs, runner settings, dependency and lock files in each ecosystem.

docs/reference/tampering.md shows this table, and a test compares the two. Patterns are globs, see `domain.text.globs`.
"""

from typing import Final

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ecosystem:
    """`tests` are tests and recorded outputs by names that nothing else has; `perhaps` are names of tests that product
    code has too. `settings` only configure runners; `mixed` files configure other things as well. `dependencies` say
    what is installed, `installed` is where it is installed.
    """

    name: str
    tests: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()


ECOSYSTEMS: Final = (
    Ecosystem(
        name="any",
        tests=(
            *("**/tests/**", "**/Tests/**", "**/test/**", "**/__tests__/**", "**/testdata/**", "**/e2e/**"),
            *("**/integration-tests/**", "**/integration_tests/**", "*.golden", "*.feature", "*.approved.*"),
            *("*.verified.*", "*.expected", "*.bats", "**/t/*.t"),
        ),
        perhaps=("test.sh", "test_*.sh", "**/fixtures/**", "**/goldens/**", "**/golden/**"),
        settings=(
            *("GNUmakefile", "Makefile", "makefile", "justfile", "Justfile", ".justfile", "Taskfile.y*ml"),
            *("taskfile.y*ml", ".proverc", "shiftwork.toml"),
        ),
        mixed=(
            *("*.mk", "mise.toml", ".mise.toml", ".worktreeinclude", ".pre-commit-config.yaml", "BUILD.bazel"),
            *(".github/workflows/**", ".gitlab-ci.yml", ".circleci/**", "azure-pipelines.yml", "Jenkinsfile"),
        ),
        dependencies=(
            *(".tool-versions", "flake.nix", "flake.lock", "MODULE.bazel", "MODULE.bazel.lock", ".gitmodules"),
        ),
    ),
    Ecosystem(
        name="Python",
        tests=("test_*.py", "*_test.py", "*_tests.py", "**/__snapshots__/**", "*.ambr"),
        perhaps=("tests.py", "test.py", "/test?*.py"),
        settings=(
            *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml"),
            *("noxfile.py", ".coveragerc", ".coveragerc.toml", "mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml"),
            *(".flake8", ".pylintrc", "pylintrc", "pyrightconfig.json", "*.pth", "*.egg-link", "pyvenv.cfg"),
            *("**/*.dist-info/**", "**/*.egg-info/**", "sitecustomize.py", "usercustomize.py", "/pytest.py"),
            *("/pytest/**", "/unittest.py", "/unittest/**", "uv.toml", "pip.conf", "poetry.toml"),
        ),
        mixed=("pyproject.toml", "setup.cfg", "setup.py"),
        dependencies=(
            *("*requirements*.txt", "*requirements*.in", "requirements/*.txt", "constraints*.txt", "Pipfile"),
            *("Pipfile.lock", "poetry.lock", "uv.lock", "pdm.lock", "pylock*.toml", "environment.y*ml"),
            *("conda-lock.yml", "pixi.toml", "pixi.lock", ".python-version"),
        ),
        installed=(
            *("**/.venv/**", "**/venv/**", "**/site-packages/**", "**/__pypackages__/**", "**/.tox/**", "**/.nox/**"),
        ),
    ),
    Ecosystem(
        name="JavaScript and TypeScript",
        tests=(
            *("*.test.*", "*.tests.*", "*.spec.*", "*_test.*s", "*_test.*sx", "*_spec.*s", "*.cy.*s", "*.cy.*sx"),
            *("*.e2e.*s", "*.e2e-spec.*s", "*.snap", "**/cypress/**", "**/__image_snapshots__/**"),
        ),
        perhaps=(
            *("test.js", "test.mjs", "test.cjs", "test.ts", "*Spec.js", "*Spec.ts", "test-*.*js", "*-test.*s"),
            *("*-test.*sx", "*-spec.*s", "**/__mocks__/**"),
        ),
        settings=(
            *("jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.setup.*", "vitest.workspace.*"),
            *("setupTests.*", "karma.conf.*", "playwright.config.*", "cypress.config.*", ".mocharc*", "ava.config.*"),
            *("wdio.conf.*", ".nycrc*", ".c8rc*", "eslint.config.*", ".eslintrc*", "biome.json*", ".npmrc"),
            *(".yarnrc*", ".pnpmfile.*", "bunfig.toml", ".taprc"),
        ),
        mixed=(
            *("package.json", "deno.json*", "tsconfig*.json", "vite.config.*", "babel.config.*", ".babelrc*"),
            *(".swcrc", "nx.json", "turbo.json"),
        ),
        dependencies=(
            *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml"),
            *("bun.lock", "bun.lockb", "deno.lock", ".nvmrc", ".node-version"),
        ),
        installed=("**/node_modules/**", "**/.yarn/releases/**", "**/.yarn/plugins/**", "**/.yarn/cache/**", ".pnp.*"),
    ),
    Ecosystem(
        name="Go",
        tests=("*_test.go",),
        settings=(".golangci.*",),
        dependencies=("go.mod", "go.sum", "go.work", "go.work.sum"),
        installed=("**/vendor/**",),
    ),
    Ecosystem(
        name="Rust",
        settings=(
            *("**/.cargo/config", "**/.cargo/config.toml", "**/.config/nextest.toml", "clippy.toml", ".clippy.toml"),
            *("rust-toolchain", "rust-toolchain.toml"),
        ),
        mixed=("Cargo.toml",),
        dependencies=("Cargo.lock",),
    ),
    Ecosystem(
        name="Ruby",
        tests=("*_spec.rb", "*_test.rb"),
        perhaps=("test.rb",),
        settings=(
            *(".rspec", "spec_helper.rb", "rails_helper.rb", "test_helper.rb", ".rubocop.yml", "**/.bundle/config"),
            # Runners put these first on the load path: a file there takes precedence over the gem.
            *("/lib/minitest.rb", "/lib/minitest/**", "/lib/rspec.rb", "/lib/rspec/**", "/spec/rspec/**"),
        ),
        mixed=("Rakefile",),
        dependencies=("Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", "*.gemspec", ".ruby-version"),
    ),
    Ecosystem(
        name="PHP",
        tests=("*Test.php", "*Cest.php", "*.phpt"),
        perhaps=("test.php",),
        settings=("phpunit.xml*", "phpunit.dist.xml", "phpstan.neon*", "codeception.y*ml", "behat.y*ml"),
        mixed=("composer.json",),
        dependencies=("composer.lock",),
    ),
    Ecosystem(
        name="Java, Kotlin, Scala and Groovy",
        tests=(
            *("*Test.java", "*Tests.java", "*Test.kt", "*Tests.kt", "*Test.groovy", "*Test.scala"),
            *("**/src/*Test/**", "**/src/testFixtures/**"),
        ),
        perhaps=("*IT.java", "Test*.java", "*Spec.kt", "*Spec.scala", "*Suite.scala", "*Spec.groovy"),
        settings=("gradlew", "gradlew.bat", "**/gradle/wrapper/**", "mvnw", "mvnw.cmd", "**/.mvn/**"),
        mixed=("build.gradle*", "settings.gradle*", "gradle.properties", "pom.xml", "build.sbt", "**/buildSrc/**"),
        dependencies=("gradle.lockfile", "*.versions.toml", "**/project/plugins.sbt", "**/project/build.properties"),
    ),
    Ecosystem(
        name=".NET",
        tests=(
            "*Test.cs",
            "*Tests.cs",
            "**/*.Tests/**",
            "**/*.Test/**",
            "**/*.UnitTests/**",
            "**/*.IntegrationTests/**",
        ),
        settings=("*.runsettings", "xunit.runner.json", "testconfig.json"),
        mixed=("Directory.Build.*",),
        dependencies=(
            *("*.csproj", "*.fsproj", "*.vbproj", "packages.lock.json", "Directory.Packages.props", "nuget.config"),
            *("NuGet.Config", "global.json"),
        ),
    ),
    Ecosystem(
        name="Swift",
        tests=("*Test.swift", "*Tests.swift", "*.xctestplan"),
        settings=(".swiftlint.yml",),
        dependencies=("Package.swift", "Package.resolved", "Podfile", "Podfile.lock", "Cartfile", "Cartfile.resolved"),
    ),
    Ecosystem(
        name="C and C++",
        tests=("*_test.c", "*_test.cc", "*_test.cpp", "*_unittest.cc", "*_unittest.cpp"),
        perhaps=("test_*.c", "test_*.cc", "test_*.cpp"),
        settings=("CTestConfig.cmake", "CTestCustom.cmake", ".clang-tidy"),
        mixed=("CMakeLists.txt", "CMakePresets.json", "meson.build"),
        dependencies=("conanfile.*", "conan.lock", "vcpkg.json", "vcpkg-configuration.json", "**/subprojects/*.wrap"),
    ),
    Ecosystem(
        name="Elixir and Erlang",
        tests=("*_test.exs", "*_SUITE.erl", "*_tests.erl"),
        settings=("test_helper.exs", ".credo.exs"),
        mixed=("mix.exs", "rebar.config"),
        dependencies=("mix.lock", "rebar.lock"),
    ),
    Ecosystem(
        name="Dart",
        tests=("*_test.dart",),
        settings=("dart_test.yaml", "analysis_options.yaml"),
        dependencies=("pubspec.yaml", "pubspec.lock"),
    ),
    Ecosystem(name="Lua", tests=("*_spec.lua",), settings=(".busted", ".luacheckrc"), dependencies=("*.rockspec",)),
)
