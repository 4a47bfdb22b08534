"""Gates of a Rust project: cargo, for all packages of a workspace."""

from shiftwork.config.detection.folder import Folder, table
from shiftwork.config.detection.found import Detected, FoundGate


def find(folder: Folder) -> Detected:
    """Clippy only if the project has settings for it. Cargo downloads dependencies by itself."""
    manifest = folder.toml("Cargo.toml")
    if not folder.has("Cargo.toml"):
        return Detected()
    everything = " --workspace" if "workspace" in manifest else ""
    commands = {}
    lints = table(manifest, "lints") or table(manifest, "workspace", "lints")
    if lints or folder.has("clippy.toml", ".clippy.toml"):
        commands["lint"] = f"cargo clippy{everything} --all-targets -- -D warnings"
    commands["typecheck"] = f"cargo check{everything} --all-targets"
    commands["test"] = f"cargo test{everything}"
    gates = (FoundGate(name=name, command=command, source="Cargo.toml") for name, command in commands.items())
    return Detected(gates=tuple(gates))
