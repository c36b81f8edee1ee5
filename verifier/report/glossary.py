"""Words explained."""

from verifier.report.markup import Markup, element

_GLOSSARY = {
    "Batch, position": "The documents of one round, the likeliest responsive first; position 1 is the first.",
    "Bound": "The most responsive documents that can have been hidden among the reviewed ones, as the coins show.",
    "Checkpoint": "The state of the record at one point, signed by those who are named with it.",
    "Coin": "A number that nobody could choose or foresee alone, made of secrets of Alice, Bob and Trent after Alice's "
    "report is fixed. It decides whether a document is drawn.",
    "Compelled": "Disclosed as part of the whole batch, as the rule says after confirmed errors of Alice's.",
    "Confidence": "How surely a sentence about hidden documents holds, over all the ways in which coins can fall.",
    "Copy": "The record as one reader may have it. What is not for that reader stands in it sealed.",
    "Corpus": "All documents that may be reviewed, fixed at the start by one code to which Trent committed.",
    "Default, order": "The court's order to go on without the answer of Alice or Bob, who did not give one. "
    "What follows from it was agreed on at the start.",
    "Disclosure, wave": "Documents that Bob is shown at a time.",
    "Entry": "One numbered, signed step of the record. Each names the one before, so none can be added or dropped.",
    "Fingerprint": "Forty digits by which a key is known. Compare them with those that its owner gave you.",
    "Head": "One code for the whole record: two copies with the same head tell the same story.",
    "In camera": "Read by the court alone.",
    "Key, signature": "Only the holder of a key can make its signatures; anyone can check them.",
    "Non-responsive disclosure (NRD)": "What Bob was shown and is not responsive: the price of checking.",
    "Claim of privilege, withheld": "Alice says that she need not show a document, and the court agreed. It counts as "
    "neither found nor hidden.",
    "Recall": "The share of all responsive documents that Bob was shown. Only a simulation knows it.",
    "Responsive": "What Bob is entitled to: documents that answer what he asked for.",
    "Ruling": "The court's label for a document on which Alice and Bob disagree. It counts.",
    "Sealed": "In the record as a code only. It can be opened later, and then only as what it was.",
    "Threshold": "A rank in the batch: responsive documents are expected down to it, and not below.",
    "Unread": "Shown to Bob, who did not label it. Alice's label stands, and the coins of that round prove nothing.",
}


def glossary() -> Markup:
    """The section that explains words."""
    entries = [element("div", element("dt", term), element("dd", told)) for term, told in _GLOSSARY.items()]
    words = element("dl", *entries, class_="glossary")
    return element("section", element("h2", "Words"), words, id="words-explained", class_="flows")
