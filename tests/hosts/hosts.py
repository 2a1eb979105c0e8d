"""Hosts of one machine, made of namespaces of Linux, on which the ranks of a run are started. Needs root."""

import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpirun import ENVIRONMENT

ENTER = pathlib.Path(__file__).resolve().parent / "enter_host"


class Unavailable(Exception):
    """The machine allows no namespaces or network interfaces."""


class Hosts:
    """`count` hosts for ranks, host0 to host<count - 1>, and one more for the launcher."""

    def __init__(self, program, count, folder):
        """Starts `program`, emulated_hosts. Raises Unavailable if the hosts cannot be had."""
        self.count, self.file, self.slots = count, folder / "hosts", folder / "slots"
        self.process = subprocess.Popen([program, str(count + 1)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        lines = [self.process.stdout.readline().strip() for _ in range(count + 1)]
        if not all(lines):
            raise Unavailable(self.process.communicate()[1].strip())
        self.options = [line.split() for line in lines]
        self.networks = {os.stat(line.split()[0].removeprefix("--net=")).st_ino for line in lines}
        self.file.write_text("".join(f"{self.address(host)} {line}\n" for host, line in enumerate(lines)),
                             encoding="utf-8")

    @staticmethod
    def address(host):
        return f"10.88.0.{host + 1}"

    def order(self, line):
        """Executes an order of emulated_hosts."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer == "done\n", (line, answer)

    def enter_login(self):
        """Returns the beginning of a command line that runs on the host of the launcher."""
        return ["nsenter", *self.options[self.count], "--"]

    def launcher(self, mpirun, is_open_mpi):
        """Returns a command line that starts one rank on each host, without the program."""
        ENVIRONMENT["MASS_TEST_HOSTS"] = str(self.file)
        one = " slots=1" if is_open_mpi else ":1"  # without it, Open MPI starts a rank for each processor
        self.slots.write_text("".join(f"{self.address(host)}{one}\n" for host in range(self.count)), encoding="utf-8")
        if is_open_mpi:
            settings = {"plm_rsh_agent": str(ENTER), "plm_rsh_no_tree_spawn": "1",
                        "orte_default_hostfile": str(self.slots)}
            ENVIRONMENT.update({f"OMPI_MCA_{name}": value for name, value in settings.items()})
            alive = {"oob_tcp_keepalive_time": "5", "oob_tcp_keepalive_intvl": "2", "oob_tcp_keepalive_probes": "5"}
            options = [text for item in alive.items() for text in ("--mca", *item)]
        else:
            options = ["-localhost", self.address(self.count), "-iface", "net0", "-launcher", "rsh", "-launcher-exec",
                       str(ENTER), "-f", str(self.slots)]
        return [*self.enter_login(), mpirun, *options, "-n", str(self.count)]

    def processes(self):
        """Returns the numbers of the processes that run on the hosts."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.stat(folder / "ns/net").st_ino in self.networks:
                    found.append(int(folder.name))
            except OSError:
                pass  # it has ended
        return [pid for pid in found if pid != self.process.pid]

    def end_processes(self):
        """Ends all processes on the hosts."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def close(self):
        """Ends the hosts and all processes on them."""
        self.end_processes()
        self.process.communicate()
