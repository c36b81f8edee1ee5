"""The terms file that `tallystick matter terms` writes, for a lawyer to fill in."""

import textwrap
from typing import Any

from protocol.rules import table
from protocol.rules.base import Rule
from protocol.rules.terms import Parameter

_WIDTH = 120


def template() -> str:
    """The blank terms file, with each rule and its parameters."""
    rules = [table.USUAL, *(each for each in table.rules() if each is not table.USUAL)]
    width = max(len(each.name) for each in rules) + len('""')
    return _TEMPLATE.format(
        rules="\n".join(_offered(each, width) for each in rules),
        usual=table.USUAL.name,
        parameters="\n".join(map(_setting, table.parameters())),
    )


def _offered(rule: Rule[Any], width: int) -> str:
    quoted = f'"{rule.name}"'
    return _commented(rule.words.offered, f"#   {quoted:<{width}}  ", "#" + " " * (width + 5))


def _setting(parameter: Parameter) -> str:
    """A parameter's lines. Not every rule has it; if the usual rule does not, the line is commented out."""
    having = [f'"{rule.name}"' for rule in table.rules() if parameter in rule.parameters]
    lacking = [f'"{rule.name}"' for rule in table.rules() if parameter not in rule.parameters]
    line = f"{parameter.name} = {parameter.default}"
    if parameter not in table.USUAL.parameters:
        only = f"Only for {', '.join(having)}: remove the # from the next line."
        return f"{_commented(f'{parameter.explained} {only}')}\n# {line}"
    unless = f" Not for {', '.join(lacking)}: delete the next line." if lacking else ""
    return f"{_commented(f'{parameter.explained}{unless}')}\n{line}"


def _commented(text: str, first: str = "# ", other: str = "# ") -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=other, break_on_hyphens=False)


_TEMPLATE = '''\
# The terms of a review.
#
# Fill in the values between quotation marks, and leave the rest as it is unless the parties have agreed on something
# else. Lines that begin with # are explanations. Then Trent opens the matter:
#
#     tallystick matter open terms.toml --corpus CORPUS --key trent.key --out MATTER
#
# All of this becomes the first entry of the record. Alice, Bob and the court sign it before the first round, and
# everyone who gets a copy can read it.

[caption]
# The case as it is cited, with its number.
case = ""
# The court before which it is pending.
court = ""
# The request for production: it says what is responsive. It may run over several lines.
request = """
"""

[review]
# How Alice's labels are checked:
{rules}
protocol = "{usual}"
# N: how many documents are in a batch. Alice reads one batch in each round: choose what her reviewers can read in a
# few days.
batch = 500
# T: how many rounds are held at most. The parties can stop early, or add rounds, if all of them agree.
rounds = 20
{parameters}
# The claims at the end state how many responsive documents can be hidden at most; this is how often that may be wrong.
doubt = 0.05
# Words to find the first batch with, as Bob would search for them. AND, NOT, quotation marks and * mean nothing.
# Left empty, the first batch is drawn from all documents.
query = ""

# The parties. A key file (.pub) is made by its owner with `tallystick key new`. Read its fingerprint with
# `tallystick key show FILE`, and have its owner confirm it by telephone. Paths start at the folder of this file.

# Alice produces the documents.
[parties.alice]
name = ""
key = "alice.key.pub"

# Bob requests them.
[parties.bob]
name = ""
key = "bob.key.pub"

# Trent, the neutral, runs the review.
[parties.trent]
name = ""
key = "trent.key.pub"

# The court, or whomever it appoints, rules where Alice and Bob disagree.
[parties.court]
name = ""
key = "court.key.pub"
'''
