"""`python -m services.facts`."""

import sys

from services.facts.app import main

sys.exit(main())
