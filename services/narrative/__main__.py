"""`python -m services.narrative`."""

import sys

from services.narrative.app import main

sys.exit(main())
