"""The facts worker without servers."""
