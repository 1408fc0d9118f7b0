"""`python -m bench NAME`: run one benchmark and print its figures below the machine they were taken on."""

import argparse
import os
import platform
import sys

from bench import ask, faq, load, overload, parse, passages, retrieval


def main() -> int:
    """Run the chosen benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    chosen = parser.add_subparsers(required=True)
    for module in (retrieval, passages, parse, load, ask, faq, overload):
        module.add_arguments(chosen)
    options = parser.parse_args()
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
