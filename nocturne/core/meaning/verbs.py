"""English verb forms: which word can be a verb, in what form, and of which verb.

A closed list in our own choice, for telling where a coordinated verb phrase begins and for reading passives.
Words outside the list are never taken for verbs but for those in -ed.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

Form = Literal["base", "third", "past", "participle", "gerund"]

_IRREGULAR = """
arise arose arisen;awake awoke awoken;bear bore borne;beat beat beaten;become became become;begin began begun;
bend bent bent;bet bet bet;bind bound bound;bite bit bitten;bleed bled bled;blow blew blown;
break broke broken;
breed bred bred;bring brought brought;build built built;burn burnt burnt;burst burst burst;buy bought bought;
catch caught caught;choose chose chosen;come came come;cost cost cost;cut cut cut;deal dealt dealt;
dig dug dug;
draw drew drawn;drink drank drunk;drive drove driven;eat ate eaten;fall fell fallen;feed fed fed;
feel felt felt;
fight fought fought;find found found;flee fled fled;fly flew flown;forbid forbade forbidden;
forget forgot forgotten;
forgive forgave forgiven;freeze froze frozen;get got got;give gave given;go went gone;grow grew grown;
hang hung hung;hear heard heard;hide hid hidden;hit hit hit;hold held held;hurt hurt hurt;keep kept kept;
know knew known;lay laid laid;lead led led;learn learnt learnt;leave left left;lend lent lent;let let let;
light lit lit;lose lost lost;make made made;mean meant meant;meet met met;mow mowed mown;
override overrode overridden;
overtake overtook overtaken;overwrite overwrote overwritten;pay paid paid;prove proved proven;put put put;
quit quit quit;read read read;rebuild rebuilt rebuilt;redo redid redone;rewrite rewrote rewritten;
ride rode ridden;
ring rang rung;rise rose risen;run ran run;say said said;see saw seen;seek sought sought;sell sold sold;
send sent sent;set set set;sew sewed sewn;shake shook shaken;shine shone shone;shoot shot shot;
show showed shown;
shrink shrank shrunk;shut shut shut;sing sang sung;sink sank sunk;sit sat sat;sleep slept slept;
slide slid slid;
speak spoke spoken;spend spent spent;spin spun spun;split split split;spread spread spread;stand stood stood;
steal stole stolen;stick stuck stuck;strike struck struck;swear swore sworn;sweep swept swept;swim swam swum;
swing swung swung;take took taken;teach taught taught;tear tore torn;tell told told;think thought thought;
throw threw thrown;undergo underwent undergone;understand understood understood;undo undid undone;
upset upset upset;
wake woke woken;wear wore worn;weave wove woven;win won won;wind wound wound;withdraw withdrew withdrawn;
write wrote written
"""
_REGULAR = """
abandon accept access achieve add address adjust admire admit adopt advise affect agree allow amuse announce
answer
appear apply appoint appreciate approve archive argue arrange arrive ask assemble assign assist attach attack
attend
avoid back bake ban bark base bathe battle behave believe belong benefit blame block boil book borrow brew
brush
bump call calculate camp cancel capture care carry carve cause celebrate chair change charge chase chat check
cheer
clean clear click climb close coach code collect combine commit commute compare compete compile complain
complete
compose compute confirm configure connect consider consist consult consume contact contain continue contribute
control convert convince cook copy correct cough count cover crash crawl create cross cry cure cycle damage
dance
debug decide declare decline decorate decrease delete deliver demand deny depend deploy describe deserve
design
destroy detect develop dial die differ direct disable disagree discover discuss dislike display divide divorce
document donate download draft dress drop dry earn edit embed emit employ enable encourage encrypt end
endorse enjoy
ensure enter escape escort establish estimate evaluate examine exchange exclude excuse execute exercise exist
exit
expand expect experience expire explain explore export express extend face fail fancy farm fasten fax fetch
file
fill film filter finance finish fire fish fit fix flash float flood flow flush fold follow force format
forward
found frame free frighten function fund gain garden gather generate govern grab graduate greet grill guard
guess
guide handle happen harvest hate haunt head heal heat help help hike hire host hope house hug hunt hurry
identify
ignore illustrate import impress improve include increase inform inherit inject insist inspect inspire install
instruct insult intend interview introduce invent invest invite invoke involve irritate issue join joke judge
juggle
jump keep kick kill kiss knit knock label lack land last laugh launch lift like limit link list listen live
load
lock log look love maintain manage map march mark marry master match matter measure melt mend mention merge
migrate
mind mix modify monitor mount move multiply murder name need nest note notice notify number nurse obey object
observe obtain occupy occur offer open operate order organise organize own pack paint park parse participate
pass
paste pause perform permit persuade phone photograph pick pin place plan plant play please point polish
possess post
pour practise practice praise pray prefer prepare present preserve press pretend prevent print process produce
program promise promote propose protect provide publish pull pump punish purchase push query question queue
race
rain raise rank reach realise realize receive recognise recognize recommend record recover recruit reduce
refactor
refer refuse regret reject relate relax release rely remain remember remind remove rename render renew rent
repair
repeat replace reply report represent request require rescue research reserve reset reside resign resolve
respect
respond rest restart restore retire retry return reuse review revert revise ride rob roll rotate route row
ruin rule
sail satisfy save scale scan scare schedule scold scrape scratch scream screen search secure select serve
settle
shape share shave shelter shift ship shop shout sign signal skate sketch ski skip smell smile smoke smuggle
sneeze
snore soak solve sort sound spell spill sponsor spray sprint stain stamp star start state stay steer stir
stitch
stop store stream stretch study submit succeed suffer suggest suit supervise supply support suppose surprise
surround suspect switch tag talk target taste telephone tempt test thank tie time touch tour tow trace track
trade
train transfer translate transport trap travel treat trigger trim trip trust try tune turn tutor twist type
unite
audit automate benchmark bundle cache deprecate dockerise enforce flag host index ingest iterate lint mock optimise
optimize package patch ping poll profile provision proxy prune rebase redirect redeploy replicate resize sanitise
serialise shard spawn subscribe sync throttle toggle tokenise transform tweak crochet fence foster hike jog meditate
mentor quilt rehearse snowboard surf babysit freelance intern lecture skateboard sculpt detest loathe adore despise
tolerate crave collaborate coordinate negotiate supervise translate interpret renovate decorate assemble harvest
prescribe diagnose volunteer moderate curate publish illustrate animate narrate broadcast stream podcast blog tweet
unlock unpack update upgrade upload use validate value verify view violate visit volunteer vote wait walk
want warm
warn wash waste watch water wave weigh welcome whisper whistle wipe wish wonder work worry wrap yawn yell
"""


class Verb(NamedTuple):
    """What a word can be: its verb and its form."""

    lemma: str
    form: Form


def _third(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def _short(base: str) -> bool:
    """One syllable that ends in consonant, vowel, consonant: plan → planned."""
    vowels = [letter in "aeiou" for letter in base]
    if len(base) < 3 or vowels[-3:] != [False, True, False] or base[-1] in "wxy":
        return False
    return sum(vowels) == 1 or base in _FINAL_STRESS


_FINAL_STRESS = frozenset({"admit", "commit", "permit", "prefer", "refer", "regret", "submit", "occur", "control",
                           "transfer", "embed", "emit"})  # fmt: skip
_BRITISH = ("cancel", "label", "travel", "model", "signal")


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if _short(base) else base + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + "ing"
    return base + base[-1] + "ing" if _short(base) or base in {"begin", "forget"} else base + "ing"


@cache
def _table() -> dict[str, tuple[Verb, ...]]:
    found: dict[str, list[Verb]] = {}

    def put(word: str, lemma: str, form: Form) -> None:
        entry = found.setdefault(word, [])
        if Verb(lemma, form) not in entry:
            entry.append(Verb(lemma, form))

    for row in _IRREGULAR.replace("\n", "").split(";"):
        base, past, participle = row.split()
        put(base, base, "base")
        put(past, base, "past")
        put(participle, base, "participle")
        put(_third(base), base, "third")
        put(_gerund(base), base, "gerund")
    for base in _REGULAR.split():
        put(base, base, "base")
        put(_third(base), base, "third")
        put(_gerund(base), base, "gerund")
        for past in (_past(base), base + base[-1] + "ed" if base in _BRITISH else _past(base)):
            put(past, base, "past")
            put(past, base, "participle")
    return {word: tuple(entries) for word, entries in found.items()}


def readings(word: str) -> tuple[Verb, ...]:
    """Every verb form that the word can be; an unknown word in -ed is its own past and participle."""
    known = _table().get(word)
    if known is not None:
        return known
    if len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and word.isalpha():
        return (Verb(word, "past"), Verb(word, "participle"))
    return ()


def is_form(word: str, *forms: Form) -> bool:
    """Whether the word can be one of the forms."""
    return any(verb.form in forms for verb in readings(word))


def third_of(word: str) -> str | None:
    """The base of a third-person form: ``carries`` → ``carry``; None where the word is none."""
    return next((verb.lemma for verb in readings(word) if verb.form == "third"), None)


def agrees(plain: str, third: str) -> bool:
    """Whether ``third`` is the third-person form of ``plain``, for words outside the list too."""
    return third == _third(plain) if len(plain) > 1 and plain.isalpha() else False


@cache
def all_forms(lemma: str) -> tuple[str, ...]:
    """Every listed form of a verb."""
    return tuple(word for word, entries in _table().items() if any(verb.lemma == lemma for verb in entries))
