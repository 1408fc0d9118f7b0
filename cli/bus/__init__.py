"""The bus for its operator: users, accounts of apps, the server's configuration, all made from one table."""
