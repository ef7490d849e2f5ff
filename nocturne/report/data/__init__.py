"""Results as JSON values of a stable shape, one module a result."""
