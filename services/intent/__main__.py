"""`python -m services.intent`."""

import sys

from services.intent.app import main

sys.exit(main())
