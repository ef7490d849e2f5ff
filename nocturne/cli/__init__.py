"""The command line: one file a command, which parses, calls one use case and renders."""
