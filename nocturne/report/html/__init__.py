"""A store's history as one self-contained page, for people who would rather look than type."""
