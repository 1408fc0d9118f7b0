"""Starts one program as a child that cannot outlive its parent, optionally under another user.

Run as a script: `python -I -S tether.py SIGNAL UID GID PARENT PROGRAM ARGUMENT…` (`-` for "as we are"). On Linux the
kernel sends SIGNAL to the program when the parent dies, however it dies; elsewhere the program just starts.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Drop to the user, tie the life to the parent, become the program."""
    death_signal, uid, gid, parent, *command = arguments
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != int(parent):  # the parent died before it could be tied to
        os.kill(os.getpid(), signal.SIGKILL)
    os.execv(command[0], command)  # noqa: S606 -- becoming the program is the whole purpose, and there is no shell


if __name__ == "__main__":
    main(sys.argv[1:])
