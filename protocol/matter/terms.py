"""Terms that can be run."""

from ledger import canonical, records
from ledger.canonical import NotCanonical
from protocol.errors import BadTerms
from protocol.rules import table
from protocol.rules.terms import Terms, probability, whole

LONGEST = 2**12
"""The most rounds: each may spend two links of chains that are made before the first round."""

_CHAINS = 256  # simulations with the same seed have the same coins only if their chains have the same length


def terms(
    *, protocol: str, rounds: int, batch: int, query: str = "", doubt: str = "0.05", **parameters: int | str
) -> Terms:
    """Checked terms. Raises `BadTerms` with the first that cannot be run. A missing parameter gets its default."""
    rule = table.named(protocol)
    given = {each.name: parameters.pop(each.name, each.default) for each in rule.parameters}
    if parameters:
        raise BadTerms(f"the protocol {protocol!r} has no parameter {', '.join(parameters)}; leave it out")
    common: dict[str, int | str] = {"batch": batch, "doubt": doubt, "query": query, "rounds": rounds}
    _check(protocol, common | given)
    draws = max(_CHAINS, 1 << (2 * rounds).bit_length())  # spare links, for rounds that are added later
    made: Terms = records.from_value(rule.terms, {"protocol": protocol, "draws": draws, **common, **given})
    return made


def check(found: Terms) -> None:
    """Raise `BadTerms` unless a matter can be run under these terms."""
    given = {each.name: value for each, value in table.values(found)}
    common: dict[str, int | str] = {
        "batch": found.batch,
        "doubt": found.doubt,
        "query": found.query,
        "rounds": found.rounds,
    }
    _check(found.protocol, common | given)
    if not 2 * found.rounds <= found.draws <= 4 * LONGEST:
        raise BadTerms(f"{found.draws} draws are too few for {found.rounds} rounds: each round may need two")


def _check(protocol: str, given: dict[str, int | str]) -> None:
    whole("rounds", given["rounds"], LONGEST)
    whole("batch", given["batch"])
    for each in table.named(protocol).parameters:
        each.check(each.name, given[each.name])
    probability("doubt", given["doubt"])
    try:
        canonical.check(given["query"])
    except NotCanonical as error:
        raise BadTerms(f"the query cannot be recorded: {error}") from None
