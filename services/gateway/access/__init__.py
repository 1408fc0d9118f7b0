"""Who calls over HTTP and what they may do: keys, their scopes, their rates."""
