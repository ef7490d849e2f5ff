"""Which lines of a session with parent links were left behind when the person went back and typed anew."""

from __future__ import annotations

from collections import defaultdict


class Branches:
    """Parent links of one source. Links may dangle and may run in circles."""

    def __init__(self) -> None:
        self._children: dict[str, list[str]] = defaultdict(list)
        self._parent: dict[str, str] = {}
        self._typed: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)

    def add(self, node: str, parent: str | None) -> None:
        """Note one line."""
        if parent is not None and node not in self._parent:
            self._parent[node] = parent
            self._children[parent].append(node)

    def add_typed(self, node: str, parent: str | None, *, session: str, at: int | None) -> None:
        """Note that the line is a person's, at a time."""
        if parent is not None and at is not None:
            siblings = self._typed[parent, session]
            if all(node != other for _, _, other in siblings):
                siblings.append((at, len(siblings), node))

    def rewound(self) -> bool:
        """Whether a person typed anew at any point."""
        return any(len({at for at, _, _ in siblings}) > 1 for siblings in self._typed.values())

    def abandoned(self) -> frozenset[str]:
        """The nodes below every typed child but the latest of its parent, where their times differ."""
        left: set[str] = set()
        for siblings in self._typed.values():
            last = max(siblings)
            live = self._ancestors(last[2])
            waiting = [node for at, _, node in siblings if at != last[0] and node not in live]
            while waiting:
                node = waiting.pop()
                if node not in left and node not in live:
                    left.add(node)
                    waiting.extend(self._children.get(node, ()))
        return frozenset(left)

    def _ancestors(self, node: str) -> set[str]:
        path: set[str] = set()
        at: str | None = node
        while at is not None and at not in path:
            path.add(at)
            at = self._parent.get(at)
        return path
