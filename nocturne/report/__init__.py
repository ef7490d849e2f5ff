"""Results as text and as JSON; nothing here decides anything."""
