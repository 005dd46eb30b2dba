"""Finding a browser, starting it, and ending it whatever happens in between."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.scratch import Scratch, Start, eventually
from pageside.browser.discovery import find_browser
from pageside.browser.errors import BrowserFailed, BrowserNotFound
from pageside.browser.launch import launch, wants_sandbox
from pageside.browser.profile import PREFIX, remove_abandoned, temporary_profile

# Launches, says so, and waits: in a process that can be killed.
PROGRAM = """
import asyncio
from pageside.browser.launch import launch

async def main():
    async with launch() as browser:
        print(browser.profile.folder.name, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def executable(path: Path, content: str = "#!/bin/sh\nexit 3\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return path


class TestDiscovery:
    @pytest.fixture(autouse=True)
    def only_these(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A path with two browsers on it, and none named."""
        executable(tmp_path / "bin" / "google-chrome")
        executable(tmp_path / "bin" / "chromium")
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        monkeypatch.delenv("PAGESIDE_BROWSER", raising=False)

    def test_the_one_that_is_named_comes_first(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PAGESIDE_BROWSER", str(executable(tmp_path / "other")))
        named = executable(tmp_path / "named")
        managed = executable(tmp_path / "managed")
        assert find_browser(named, managed) == named
        assert find_browser(None, managed) == tmp_path / "other"
        assert find_browser("google-chrome", managed) == tmp_path / "bin" / "google-chrome"

    def test_then_playwrights_own_then_the_path(self, tmp_path: Path) -> None:
        managed = tmp_path / "managed"
        assert find_browser(None, managed) == tmp_path / "bin" / "chromium"
        assert find_browser(None, executable(managed)) == managed

    def test_a_named_one_that_is_not_there_is_not_replaced(self, tmp_path: Path) -> None:
        with pytest.raises(BrowserNotFound, match=r"no browser at .*/absent; install"):
            find_browser(tmp_path / "absent", executable(tmp_path / "managed"))

    def test_none_at_all_says_how_to_get_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(BrowserNotFound, match="playwright install chromium"):
            find_browser(None, tmp_path / "managed")


@pytest.mark.anyio
class TestLaunch:
    async def test_it_runs_and_keeps_to_its_folder(self, scratch: Scratch) -> None:
        async with launch() as browser:
            assert await browser.page.evaluate("() => 6 * 7") == 42
            assert browser.version.split(".")[0].isdigit()
            assert browser.executable.is_file()
            assert scratch.names() == [
                browser.profile.folder.name,
                f"{browser.profile.folder.name}.lock",
            ]
            arguments = scratch.browser().cmdline()
            assert f"--user-data-dir={browser.profile.user_data}" in arguments
            assert "--enable-unsafe-webgpu" not in arguments
            assert not any(argument.startswith("--js-flags") for argument in arguments)
            assert ("--no-sandbox" in arguments) == (os.geteuid() == 0)
        assert scratch.names() == []

    async def test_later_collections_can_be_kept_away(self, scratch: Scratch) -> None:
        async with launch(later_collections=False):
            assert "--js-flags=--no-memory-reducer" in scratch.browser().cmdline()

    async def test_two_at_once_do_not_disturb_each_other(self, scratch: Scratch) -> None:
        async with launch() as first:
            async with launch() as second:
                assert first.profile != second.profile
            assert await first.page.evaluate("() => 1") == 1
            assert first.profile.user_data.is_dir()

    async def test_an_exception_ends_it(self, scratch: Scratch) -> None:
        with pytest.raises(LookupError, match="of the caller"):
            async with launch():
                raise LookupError("of the caller")
        assert scratch.names() == []

    @pytest.mark.parametrize("turns", [0, 1, 3, 10])
    async def test_cancelled_while_starting(self, scratch: Scratch, turns: int) -> None:
        async def enter() -> None:
            async with launch():
                pytest.fail("it was cancelled before")

        starting = asyncio.create_task(enter())
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert scratch.names() == []

    async def test_cancelled_while_the_browser_starts(self, scratch: Scratch) -> None:
        starting = asyncio.create_task(launch().__aenter__())
        await asyncio.to_thread(eventually, lambda: bool(scratch.named("--remote-debugging-pipe")))
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert scratch.names() == []

    async def test_cancelled_while_in_use(self, scratch: Scratch) -> None:
        running = asyncio.Event()

        async def use() -> None:
            async with launch():
                running.set()
                await asyncio.Event().wait()

        using = asyncio.create_task(use())
        await running.wait()
        using.cancel()
        with pytest.raises(asyncio.CancelledError):
            await using
        assert scratch.names() == []

    async def test_a_browser_that_ends_at_once(self, tmp_path: Path, scratch: Scratch) -> None:
        broken = executable(
            tmp_path / "broken", "#!/bin/sh\necho 'error: no libnss3' >&2\nexit 1\n"
        )
        with pytest.raises(BrowserFailed) as failure:
            async with launch(broken):
                pytest.fail("it cannot run")
        assert "no libnss3" in str(failure.value)
        assert str(broken) in str(failure.value)
        assert "\n" not in str(failure.value)
        assert scratch.names() == []

    async def test_no_browser(self, tmp_path: Path, scratch: Scratch) -> None:
        with pytest.raises(BrowserNotFound):
            async with launch(tmp_path / "absent"):
                pytest.fail("there is none")
        assert scratch.names() == []

    async def test_a_killed_browser_leaves_nothing(self, scratch: Scratch) -> None:
        async with launch() as browser:
            scratch.browser().kill()
            with pytest.raises(Exception, match="closed"):
                await browser.page.wait_for_event("popup")
        assert scratch.names() == []

    async def test_a_browser_that_hears_nothing_is_killed(
        self, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pageside.browser.launch.CLOSE_PATIENCE_S", 0.1)
        async with launch():
            scratch.browser().suspend()
        assert scratch.names() == []


@pytest.mark.parametrize(
    ("user", "variable", "sandbox"),
    [(1000, "", True), (1000, "0", True), (1000, "1", False), (0, "", False)],
)
def test_the_sandbox_is_left_out_only_when_it_must_be(
    monkeypatch: pytest.MonkeyPatch, user: int, variable: str, sandbox: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("PAGESIDE_NO_SANDBOX", variable)
    assert wants_sandbox() == sandbox


class TestKilled:
    """What is left of a program that had no chance to clean up."""

    @pytest.fixture
    def program(self, start: Start) -> "subprocess.Popen[str]":
        process = start(sys.executable, "-c", PROGRAM)
        assert process.stdout is not None
        assert process.stdout.readline().startswith(PREFIX)
        return process

    def test_ctrl_c(self, program: "subprocess.Popen[str]", scratch: Scratch) -> None:
        assert scratch.browser().is_running()
        os.killpg(program.pid, signal.SIGINT)
        program.wait()
        scratch.settles()

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
    def test_the_browser_ends_too_and_the_next_launch_cleans_up(
        self, program: "subprocess.Popen[str]", scratch: Scratch, number: signal.Signals
    ) -> None:
        names = scratch.names()
        program.send_signal(number)
        program.wait()
        eventually(lambda: not scratch.processes(), scratch.describe)
        assert scratch.names() == names
        remove_abandoned()
        assert scratch.names() == []

    def test_with_the_driver_killed_first(
        self, program: "subprocess.Popen[str]", scratch: Scratch
    ) -> None:
        (driver,) = scratch.named("run-driver")
        driver.kill()
        program.kill()
        program.wait()
        eventually(lambda: not scratch.processes(), scratch.describe)
        remove_abandoned()
        assert scratch.names() == []

    def test_a_browser_that_outlives_its_program_is_ended_by_the_next_launch(
        self, program: "subprocess.Popen[str]", scratch: Scratch
    ) -> None:
        (driver,) = scratch.named("run-driver")
        driver.suspend()
        scratch.browser().suspend()
        program.kill()
        program.wait()
        assert scratch.named("--user-data-dir")
        remove_abandoned()
        assert not scratch.named("--user-data-dir")
        assert scratch.names() == []
        driver.resume()


class TestProfile:
    def test_a_living_owners_folder_stays(self, scratch: Scratch) -> None:
        with temporary_profile() as profile:
            remove_abandoned()
            assert profile.folder.is_dir()

    def test_an_abandoned_folder_goes(self, scratch: Scratch) -> None:
        folder = scratch.folder / f"{PREFIX}0123abcd"
        (folder / "profile").mkdir(parents=True)
        (scratch.folder / f"{PREFIX}0123abcd.lock").touch()
        (scratch.folder / f"{PREFIX}without-folder.lock").touch()
        with temporary_profile() as profile:
            assert scratch.names() == [profile.folder.name, f"{profile.folder.name}.lock"]

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
    def test_another_users_folder_stays(self, scratch: Scratch) -> None:
        folder = scratch.folder / f"{PREFIX}of-another"
        folder.mkdir()
        os.chown(folder, 65534, 65534)
        remove_abandoned()
        assert scratch.names() == [folder.name]
        folder.rmdir()

    def test_a_link_is_not_followed(self, scratch: Scratch, tmp_path: Path) -> None:
        precious = tmp_path / "precious"
        precious.mkdir()
        link = scratch.folder / f"{PREFIX}link"
        link.symlink_to(precious)
        remove_abandoned()
        assert precious.is_dir()
        link.unlink()

    def test_a_long_path_gives_way_to_a_short_one(
        self, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        long = scratch.folder / ("x" * 100)
        long.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(long))
        with temporary_profile() as profile:
            assert profile.folder.parent == Path("/tmp")
        assert not profile.folder.exists()
        long.rmdir()

    def test_processes_without_the_mark_are_left_alone(self, scratch: Scratch) -> None:
        with temporary_profile() as profile:
            bystander = subprocess.Popen(["sleep", "60"], cwd=profile.folder)
            marked = subprocess.Popen(
                ["sh", "-c", "read line", profile.marks[0]], stdin=subprocess.PIPE
            )
        with marked:
            assert marked.wait() == -signal.SIGKILL
        assert bystander.poll() is None
        bystander.kill()
        bystander.wait()
