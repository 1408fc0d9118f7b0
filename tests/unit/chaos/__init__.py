"""The harness of the chaos runs sees what it is there to see."""
