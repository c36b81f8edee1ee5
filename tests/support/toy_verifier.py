"""The verifier as a process that knows the toy rule, for parties that verify their copy before they sign the end."""

from tests.support import toy_rule_verified
from verifier.cli import main
from verifier.rules import table

if __name__ == "__main__":
    with table.registered(toy_rule_verified.RULE):
        main()
