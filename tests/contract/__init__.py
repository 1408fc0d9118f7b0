"""The published contracts: schemas, stored examples, AsyncAPI and the wheel."""
