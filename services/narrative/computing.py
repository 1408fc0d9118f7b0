"""The threads of this worker: searches never wait for a large load, and both leave the event loop its turns."""

from typing import Final

from runtime.threads import Threads

SEARCHING: Final = Threads("search", 1)
"""With more of them, searches took turns at computing: none was done sooner, and the loop waited longer for its own."""
CHANGING: Final = Threads("change", 1)
"""What is loaded: rows are checked, passages cut into tokens, the index written."""
