"""The suite for agents on the example; `test_an_agent` runs it in a package that has the example."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from shiftwork.bootstrap.work.agents import Place, build_agent
from shiftwork.config.settings.settings import Settings
from shiftwork.ports.agent import Agent
from shiftwork.testing.conformance.agent import AgentConformance, Stage

ENV = {"PATH": os.defpath, "HOME": "/nowhere"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParrotStage:
    folder: Path

    def answers(self, text: str) -> Agent:
        return self._program(f"cat > /dev/null; printf '%s' {shlex.quote(text or 'parrot 1.0')}")

    def works_on(self) -> Agent:
        return self._program("setsid sleep 70 & while :; do echo working; sleep 0.2; done")

    def falls_silent(self) -> Agent:
        return self._program("exec sleep 70")

    def not_installed(self) -> Agent:
        return self._built(self.folder / "not-there")

    def _program(self, script: str) -> Agent:
        file = self.folder / "parrot"
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        return self._built(file)

    def _built(self, program: Path) -> Agent:
        settings = Settings.model_validate({"agent": {"use": "parrot", "program": str(program)}})
        return build_agent(settings, Place(env=ENV | {"SHIFTWORK_STATE_HOME": str(self.folder / "state")}))


class TestParrot(AgentConformance):
    patience = 0.5

    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        return ParrotStage(folder=tmp_path)
