"""The language of the synthetic corpus: common English words, and made-up words that can be pronounced.

Every department draws from a table of 2^16 words in which frequent words stand more often, as in Zipf's law: a
16-bit draw is a word. Everything here is integers, so that the tables are the same on every machine.
"""

from functools import cache

DEPARTMENTS = 12
SLOTS = 2**16

COMMON = """
the to and of in is for you that on we it be with this have are will as at not from your if our or by can an please
was any all me my has would but they do need know let there what so more up about one out get time could new when
which should like only their just also other were been some may see make no had he she today week call meeting thanks
attached send sent copy draft file team group office monday tuesday friday morning afternoon question questions
comments changes list review work working number email phone talk forward regards best help good think want back next
after before over into then than them us his her who how where why
"""

TOPICS = """
prepay swap collateral lender tranche notional conduit syndicate guaranty unwind repayment drawdown counterparty
auditor footnote disclosure restate ledger accrual writedown earnings consolidate materiality balance quarter
pipeline storage delivery commodity barrel forecast tariff volumes nomination hub shipper spot
trustee partnership entity nominee offshore charter dissolve member beneficiary holding shell incorporate
opinion privilege memo indemnity waiver covenant breach clause counsel remedy assign novation
"""
"""What the responsive documents are about: a side of the topic on each line, the most telling words first."""

QUERY = "prepay swap collateral auditor disclosure"

FIRST_NAMES = """
Alma Basil Clara Dario Edith Felix Greta Hugo Irene Jonas Karla Leon Marta Nils Olga Pavel Rosa Simon Tilda Ugo Vera
Wim Yara Zeno
"""

_SHARED = 3000
_OWN = 6000
_FLATTENING = 20  # the larger it is, the less the first words outweigh the others
_TOPIC_RANK = 2400
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvwz" for vowel in "aeiou"]


def made_up(number: int, syllables: int = 3) -> str:
    """Word `number` of the made-up language: another one for every number below 75 to the power of `syllables`."""
    size = len(_SYLLABLES)
    mixed = number * 160_001 % size**syllables  # neighbours in number do not look alike
    return "".join(_SYLLABLES[mixed // size**place % size] for place in range(syllables))


@cache
def table(department: int) -> list[str]:
    """The words of a department, each as often as it is likely; sixteen bits choose one."""
    common, telling = COMMON.split(), TOPICS.split()
    shared = [word for number in range(_SHARED) if (word := made_up(number, 2)) not in common + telling]
    for place, word in enumerate(telling):
        shared.insert(_TOPIC_RANK + 4 * place, word)
    own = [made_up(number) for number in range(department * _OWN, (department + 1) * _OWN)]
    between = [word for pair in zip(shared, own, strict=False) for word in pair]
    return _zipf([*common, *between, *own[len(shared) :]])


def _zipf(words: list[str]) -> list[str]:
    """`SLOTS` words, where the word of rank r stands about in proportion to 1 / (r + a constant)."""
    weights = [2**40 // (rank + _FLATTENING) for rank in range(len(words))]
    total, before = sum(weights), 0
    slots: list[str] = []
    for word, weight in zip(words, weights, strict=True):
        before += weight
        slots += [word] * (before * SLOTS // total - len(slots))
    return slots


@cache
def people(department: int) -> list[str]:
    """Those who write mail in a department, as a header shows them."""
    made = []
    names = FIRST_NAMES.split()
    for place, first in enumerate(names):
        last = made_up(300_000 + department * len(names) + place).capitalize()
        made.append(f"{first} {last} <{first.lower()}.{last.lower()}@tally.example>")
    return made


@cache
def sides() -> list[list[str]]:
    """The topic's words by side."""
    return [line.split() for line in TOPICS.strip().splitlines()]
