"""The terms file that `tallystick matter terms` writes, for a lawyer to fill in."""

import json
import textwrap
from functools import cache
from typing import Any

from protocol.matter import terms
from protocol.rules import table
from protocol.rules.base import Rule
from protocol.rules.terms import Parameter

_WIDTH = 120
_BATCH, _ROUNDS = 500, 20


def template() -> str:
    """The blank terms file, with each rule and its parameters."""
    rules = [table.USUAL, *(each for each in table.rules() if each is not table.USUAL)]
    width = max(len(each.name) for each in rules) + len('""')
    return _TEMPLATE.format(
        rules="\n".join(_offered(each, width) for each in rules),
        usual=table.USUAL.name,
        parameters="\n".join(map(_setting, table.parameters())),
        batch=_BATCH,
        rounds=_ROUNDS,
        forecast=_commented(f"Forecast for the numbers in this file. {_forecast(table.USUAL.name)}"),
    )


@cache
def _forecast(protocol: str) -> str:
    """What the terms cost if nobody changes a number."""
    from protocol.forecast.brief import brief

    return " ".join(brief(terms.terms(protocol=protocol, rounds=_ROUNDS, batch=_BATCH, validation=terms.validation())))


def _offered(rule: Rule[Any], width: int) -> str:
    quoted = f'"{rule.name}"'
    return _commented(rule.words.offered, f"#   {quoted:<{width}}  ", "#" + " " * (width + 5))


def _setting(parameter: Parameter) -> str:
    """A parameter's lines. Not every rule has it; if the usual rule does not, the line is commented out."""
    having = [f'"{rule.name}"' for rule in table.rules() if parameter in rule.parameters]
    lacking = [f'"{rule.name}"' for rule in table.rules() if parameter not in rule.parameters]
    line = f"{parameter.name} = {json.dumps(parameter.default) if parameter.choices else parameter.default}"
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
{forecast}
# If you change a number, or know more about the documents: tallystick forecast terms.toml

# How Alice's labels are checked:
{rules}
protocol = "{usual}"
# N: how many documents are in a batch. Alice reads one batch in each round: choose what her reviewers can read in a
# few days.
batch = {batch}
# T: how many batches are put up at most. The parties can stop early, or add some, if all of them agree.
rounds = {rounds}
{parameters}
# The claims at the end state how many responsive documents Bob can be missing at most; this is how often that may be
# wrong: 0.05 is once in twenty. The same holds for the whole collection, if it is validated.
doubt = 0.05
# Words to find the first batch with, as Bob would search for them. AND, NOT, quotation marks and * mean nothing.
# Left empty, the first batch is drawn from all documents.
query = ""

# Validations. From time to time coins draw from everything that Bob has not seen, whether Alice has reviewed it or not,
# and Bob reads what they draw. That shows how much of the whole collection he has, and the review stops as soon as that
# is enough. Without validations the review goes on for all rounds, and the claims say nothing about documents that
# nobody has reviewed. To do without them, delete this part, from [validation] down to the line with "every".
[validation]
# Which share of the responsive documents of the whole collection Bob must have, with confidence 1 - doubt, for the
# review to stop: 0.8 is four in five. Whether a target can be shown at a bearable price depends on how many responsive
# documents there are.
target = 0.8
# Each validation shows him the least share of all documents that he has not seen with which the target is reached if
# this many responsive documents turn up ("hits"), and at most this share ("show"): 0.2 is one in five. Without the line
# with "hits", it always shows him the share that "show" says.
hits = 3
show = 0.2
# Who reads what is drawn: "bob", or "court". The court reads it in camera, and Bob gets only what is responsive.
viewer = "bob"
# To have Alice read first, remove the # from the next line. She labels this share of the documents that nobody has
# reviewed. Bob sees those that she calls responsive, and of the others the share that "show" says. That is less for him
# to see, and more for her to read. Remove the line with "hits" then; and it does not go with viewer = "court".
# review = 0.1
# When the first validation comes: after the last five rounds (window) have brought at most this share (yield) of all
# that was found. Without the line with "yield", one comes after every ten rounds (every) from the start.
window = 5
yield = 0.02
# After how many further rounds the next one comes. One always comes at the end, unless the target was reached before.
every = 10

# Sensitive classes, such as medical records. If a coin draws a document that Alice calls not responsive and puts into a
# class, the court reads it in camera, and Bob gets it only if it is responsive. The coins are the same for all. Name
# the classes in small letters, in the order of the alphabet, and the share of all documents that may be in them, so
# that the court is not buried. To have such classes, remove the # from the next three lines.
# [classes]
# names = ["medical", "personnel"]
# share = 0.05

# Outside witnesses. Before each round, and before the claims, outsiders must have seen the record: time-stamped
# (RFC 3161) by one of these authorities, named by the SHA-256 fingerprints of their root or signing certificates; and
# entered in the operator's own log, named by its verifier key. So nobody can date the record back, and whoever follows
# the log sees if a matter is lost. To ask for this, remove the # from the next lines, and delete what you do not want.
# [witnesses]
# authorities = ["..."]
# log = "trent.example/log+..."

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
