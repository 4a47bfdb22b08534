"""Gates of a .NET project: its tests if it has a test project, else the build."""

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate


def find(folder: Folder) -> Detected:
    """`dotnet` needs a solution or a project in its working directory, and restores packages by itself."""
    source = next(iter(folder.files(r".*\.(?:sln|slnx|csproj|fsproj)")), "")
    if not source:
        return Detected()
    projects = folder.files(r".*\.(?:csproj|fsproj)", depth=3)
    tested = any("Microsoft.NET.Test.Sdk" in folder.text(path) for path in projects)
    name = "test" if tested else "build"
    return Detected(gates=(FoundGate(name=name, command=f"dotnet {name}", source=source),))
