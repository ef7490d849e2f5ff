"""The passes of a night, one file each; ``night`` puts them in their order."""
