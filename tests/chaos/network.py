"""A network of the suite's own: each process of ours in a namespace with one cable, which can be pulled.

`Wire` parts everybody from a server at once. Here one process alone is parted from all of them: it goes on
believing that it owns its partitions while the others take them over, and nothing tells it otherwise.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Final, Self

SERVERS: Final = "10.77.0.1"
"""Where the servers are reached from every namespace: an address of the loopback device outside of them."""
_INSIDE: Final = "CHAOS_NAMESPACE"
_TOOLS: Final = ("ip", "nsenter", "unshare")


def enter_namespace() -> None:
    """Start this program anew in a network and a mount namespace of its own; return where that is denied.

    An ordinary user becomes root of a user namespace, which is what disks and cables need. On return the
    program runs where `have_namespace()` says.
    """
    if have_namespace() or any(shutil.which(tool) is None for tool in _TOOLS):
        return
    ways = [[], ["--user", "--map-root-user"]]
    for way in ways[1 if os.geteuid() else 0 :]:
        command = ["unshare", *way, "--net", "--mount", "--"]
        if subprocess.run(
            [*command, "ip", "link", "set", "lo", "up"], check=False, capture_output=True
        ).returncode:
            continue
        os.environ[_INSIDE] = "yes"
        os.execvp("unshare", [*command, sys.executable, *sys.orig_argv[1:]])


def have_namespace() -> bool:
    """Whether this program runs in a namespace of its own."""
    return _INSIDE in os.environ


class Network:
    """Namespaces, each with a cable to the servers. Needs `have_namespace()`; so does nothing else here.

    Raises RuntimeError, with what `ip` said, where the machine cannot do it.
    """

    def __init__(self) -> None:
        self._holders: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        _ip("link", "set", "lo", "up")
        _ip("address", "replace", f"{SERVERS}/32", "dev", "lo")
        return self

    def __exit__(self, *_: object) -> None:
        for holder in self._holders.values():
            holder.kill()  # a namespace and its cable end with the last process in it
            holder.wait()
        self._holders.clear()

    def add(self, name: str) -> None:
        """A namespace of this name (up to 12 letters), its cable plugged in."""
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo ready; exec sleep infinity"], stdout=subprocess.PIPE
        )
        self._holders[name] = holder
        assert holder.stdout is not None
        holder.stdout.readline()
        here, there, number = f"to-{name}", f"of-{name}", len(self._holders)
        _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", str(holder.pid))
        _ip("address", "add", f"10.77.{number}.1/30", "dev", here)
        _ip("link", "set", here, "up")
        for command in (
            ["link", "set", "lo", "up"],
            ["address", "add", f"10.77.{number}.2/30", "dev", there],
            ["link", "set", there, "up"],
            ["route", "add", "default", "via", f"10.77.{number}.1"],
        ):
            _run([*self.within(name), "ip", *command])

    def within(self, name: str) -> Sequence[str]:
        """What a command begins with to run in that namespace, in the process that was asked to run it."""
        return ["nsenter", f"--net=/proc/{self._holders[name].pid}/ns/net", "--"]

    def pull_out(self, name: str) -> None:
        """Nothing goes through that cable any more, and neither end is told."""
        _ip("link", "set", f"to-{name}", "down")

    def plug_in(self, name: str) -> None:
        """The cable carries again; what was said meanwhile is repeated by TCP, or given up."""
        _ip("link", "set", f"to-{name}", "up")

    def plug_all_in(self) -> None:
        """Every cable carries."""
        for name in self._holders:
            self.plug_in(name)


def _ip(*words: str) -> None:
    _run(["ip", *words])


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}")


__all__ = ["SERVERS", "Network", "enter_namespace", "have_namespace"]
