"""The measures: tokens, content, containment, coverage, names and values, as MEASURES.md defines them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from nocturne.core.text.analysis import Analysis, analyse
from nocturne.core.text.folding import fold
from nocturne.core.text.lexicon import Lexicon
from nocturne.core.text.stemming import stem_of

MEASURES_VERSION = 1


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a claim its sources hold."""

    covered: int
    total: int
    missing: tuple[str, ...]

    @property
    def share(self) -> Fraction | None:
        """Covered of total; None for a claim without content."""
        return Fraction(self.covered, self.total) if self.total else None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing and there was something to miss."""
        return self.total > 0 and not self.missing


def tokens(text: str, lexicon: Lexicon, speaker: str | None = None) -> tuple[str, ...]:
    """The canonical forms in order, without punctuation."""
    return analyse(text, lexicon, speaker).words


def canonical(text: str, lexicon: Lexicon, speaker: str | None = None) -> str:
    """The canonical forms, joined by spaces."""
    return " ".join(analyse(text, lexicon, speaker).words)


def stem(word: str, lexicon: Lexicon, language: str = "en") -> str:
    """The bounded stem of a word."""
    return stem_of(fold(word), lexicon.of(language))


def content(text: str, lexicon: Lexicon) -> frozenset[str]:
    """Stems of the tokens that are neither stopwords nor the subject."""
    return analyse(text, lexicon).content


def similarity(a: str, b: str, lexicon: Lexicon) -> Fraction | None:
    """Containment: shared content over the smaller content; None where either has none."""
    left, right = analyse(a, lexicon).content, analyse(b, lexicon).content
    if not left or not right:
        return None
    return Fraction(len(left & right), min(len(left), len(right)))


def coverage(claim: str, sources: Sequence[str], lexicon: Lexicon) -> Coverage:
    """How many content tokens of the claim occur in the sources' vocabulary, which keeps its stopwords."""
    wanted = analyse(claim, lexicon).content
    held: set[str] = set()
    for source in sources:
        held |= analyse(source, lexicon).vocabulary
    missing = wanted - held
    return Coverage(len(wanted) - len(missing), len(wanted), tuple(sorted(missing)))


def names(text: str, lexicon: Lexicon, context: Sequence[str] = ()) -> frozenset[str]:
    """Names as written; a sentence-initial capital counts where the text or its context has it inside one."""
    return names_of(analyse(text, lexicon), [analyse(other, lexicon) for other in context])


def names_of(read: Analysis, context: Iterable[Analysis] = ()) -> frozenset[str]:
    """The names of a text that was read, beside those of its context."""
    if not read.initials:
        return read.names
    elsewhere = {fold(name) for name in read.names}
    for other in context:
        elsewhere |= {fold(name) for name in other.names}
    return read.names | {name for name in read.initials if fold(name) in elsewhere}


def values(text: str, lexicon: Lexicon) -> frozenset[str]:
    """Numbers, dates, times, measures, identifiers and the like, in canonical form."""
    return analyse(text, lexicon).values
