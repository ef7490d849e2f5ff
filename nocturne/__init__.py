"""Auditable consolidation of AI agents' memory: the model proposes, the code applies."""
