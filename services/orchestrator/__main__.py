"""`python -m services.orchestrator`."""

import sys

from services.orchestrator.app import main

sys.exit(main())
