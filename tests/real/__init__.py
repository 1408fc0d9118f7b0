"""Sets of questions without a stack: seconds instead of a minute, for those who change the parser."""
