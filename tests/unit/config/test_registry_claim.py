"""The registries that a repository names: what the user is shown, and what is in force before the user agrees."""

from pathlib import Path

from shiftwork.config.registries.project_registries import addresses_of, project_hosts, registry_claim
from shiftwork.config.site import find_site
from shiftwork.config.trust.agreement import Agreed
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.env.trust import book, next_command

INDEX = "https://index.example.org/simple"


def test_every_address_is_claimed_with_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[[tool.uv.index]]\nurl = "https://ada:pass@{INDEX[8:]}"\n')
    (tmp_path / "uv.toml").write_text(f'index-url = "{INDEX}"\n')
    (tmp_path / "Pipfile").write_text(f'[[source]]\nurl = "{INDEX}"\n')
    (tmp_path / ".npmrc").write_text("registry=https://npm.example.org/\n@ada:registry=${PLACE}\n")
    (tmp_path / ".yarnrc.yml").write_text("npmRegistryServer: https://yarn.example.org\n")
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text('[registries.a]\nindex = "sparse+https://rust.example.org/"\n')
    claim = registry_claim(tmp_path)
    assert [(command.where, command.text) for command in claim.commands] == [
        ("pyproject.toml", INDEX),
        ("uv.toml", INDEX),
        ("Pipfile", INDEX),
        (".npmrc", "https://npm.example.org/"),
        (".yarnrc.yml", "https://yarn.example.org"),
        (".cargo/config.toml", "sparse+https://rust.example.org/"),
    ]
    assert next_command(claim) == "shiftwork trust"
    hosts = [str(host) for host in dict.fromkeys(project_hosts(addresses_of(claim)))]
    assert hosts == ["index.example.org", "npm.example.org", "yarn.example.org", "rust.example.org"]


def test_this_machine_other_ports_and_folders_are_not_for_a_repository_to_name(tmp_path: Path) -> None:
    text = "registry=http://localhost:4873/\na:registry=x\n@a:registry=http://127.0.0.1/\n@b:registry=https://x.example:8443"
    (tmp_path / ".npmrc").write_text(text)
    (tmp_path / "uv.toml").write_text('find-links = ["/etc", "file:///etc"]')
    assert registry_claim(tmp_path).commands == ()


def test_links_and_files_that_cannot_be_read_name_nothing(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "repo", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (elsewhere / "config.toml").write_text(f'[registries.a]\nindex = "{INDEX}"\n')
    (elsewhere / "npmrc").write_text(f"registry={INDEX}\n")
    (root / ".cargo").symlink_to(elsewhere)
    (root / ".npmrc").symlink_to(elsewhere / "npmrc")
    (root / "uv.toml").write_bytes(b"\xff")
    (root / "Pipfile").mkdir()
    (root / "pyproject.toml").write_text("#" * (1 << 19))
    assert registry_claim(root).commands == ()


def test_they_are_in_force_once_the_user_has_agreed_and_until_they_change(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}
    site = find_site(tmp_path / "repo", env)
    (site.root / "uv.toml").write_text(f'index-url = "{INDEX}"\n')
    assert conditions(site, env).settings.agreed == Agreed(unagreed=(INDEX,))
    book(env).trust(registry_claim(site.root))
    assert conditions(site, env).settings.agreed == Agreed(registries=(INDEX,))
    (site.root / "uv.toml").write_text('index-url = "https://other.example.org"\n')
    assert conditions(site, env).settings.agreed == Agreed(unagreed=("https://other.example.org",))
