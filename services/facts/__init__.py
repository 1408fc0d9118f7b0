"""WORKER: scopes become facts with their lineage, or the plain statement that there is none.

Facts are loaded with a source document and a locator or not at all; a replaced value is kept as history; every change
leaves an event in the outbox within the same transaction.
"""
