"""The embedded stack: real servers from wheels and the five workers, started, watched and stopped by one process."""
