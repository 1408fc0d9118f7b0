"""`python -m services.gateway`."""

import sys

from services.gateway.app import main

sys.exit(main())
