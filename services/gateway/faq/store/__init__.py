"""The items in Postgres, schema `faq`: the truth about them. Redis holds a copy of a part of it.

Changes wait for each other, so they have an order and a number; nothing is lost between two of them, and whoever copies
the items knows up to which change the copy is complete.
"""
