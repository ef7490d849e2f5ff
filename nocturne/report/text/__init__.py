"""Results as pages of text, one module a result."""
