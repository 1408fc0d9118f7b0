"""The HTTP door of the gateway: routes, errors as RFC 9457 documents, pages, and the server that carries them."""
