"""`python -m cli`, which the launcher `./ragspine` runs."""

import sys

INTERRUPTED = 130

if __name__ == "__main__":
    try:
        from cli.main import main

        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # while modules were still being imported
        sys.exit(INTERRUPTED)
