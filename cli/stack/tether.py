"""Starts one program as a child that cannot outlive its parent, optionally under another user.

Run as a script: `python -I -S tether.py SIGNAL NICE UID GID PARENT PROGRAM ARGUMENT…` (`-` for "as we are"). On Linux
the kernel sends SIGNAL to the program when the parent dies, however it dies; elsewhere the program just starts.
"""

import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
SESSION_TRIES = 10
SESSION_SECONDS = 0.11


def main(arguments: list[str]) -> None:
    """Drop to the user, tie the life to the parent, become the program."""
    death_signal, niceness, uid, gid, parent, *command = arguments
    if niceness != "0":
        stand_back(niceness)
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != int(parent):  # the parent died before it could be tied to
        os.kill(os.getpid(), signal.SIGKILL)
    os.execv(command[0], command)  # noqa: S606 -- becoming the program is the whole purpose, and there is no shell


def stand_back(niceness: str) -> None:
    """Let others have the processors first, as a process and as a session.

    Where Linux shares processors out by session (sched(7), autogroup), the niceness of a process counts inside its
    session only. It takes one such change in a tenth of a second from users who are not root.
    """
    os.nice(int(niceness))
    for _ in range(SESSION_TRIES):
        try:
            with open("/proc/self/autogroup", "w", encoding="ascii") as session:
                session.write(niceness)
        except BlockingIOError:
            time.sleep(SESSION_SECONDS)
        except OSError:
            return  # processors are not shared out so here
        else:
            return


if __name__ == "__main__":
    main(sys.argv[1:])
