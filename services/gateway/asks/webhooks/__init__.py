"""Telling an app that its ask has ended: a signed POST to an address that the operator has listed, at least once.

Nothing is sent anywhere else: an address is one of the listed hosts, is resolved once, and the connection goes to the
very address that was looked at. What is still to be told is in the ledger, so it survives every restart.
"""
