"""The terms file that `tallystick matter terms` writes, for a lawyer to fill in."""

TEMPLATE = '''\
# The terms of a review.
#
# Fill in what stands between quotation marks, and leave the rest as it is unless the parties have agreed on something
# else. HistoryLines that begin with # are explanations. Then Trent opens the matter:
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
#   "label"       She labels every document of a batch. Coins draw some of those that she holds not responsive, and Bob
#                 reads them; an error that is confirmed brings him the whole batch. The usual choice.
#   "classifier"  She labels only the documents above a threshold that she chooses. Coins draw from the rest.
#   "reveal-all"  Bob reads every document of every batch.
protocol = "label"
# N: how many documents a round. Alice reads one batch a round: what her reviewers can do in a few days.
batch = 500
# T: how many rounds at most. The parties can stop early, or add rounds, if all of them agree.
rounds = 20
# How often the check of one round may fail, by the fall of the coins: 0.01 is once in a hundred. The smaller it is, the
# more the coins draw, whatever the batch's size: some ten documents of a batch at 0.01 and k = 1, and several times as
# many where Alice's labels do not fit the ranking. Of a batch of only some dozens, Bob then sees nearly all.
delta = 0.01
# How many errors of Alice's, beyond those that no threshold avoids, it takes until the coins find one surely enough.
# 1 is the strictest; a larger number shows Bob fewer documents that are not responsive.
k = 1
# The claims at the end state how many responsive documents can be hidden at most; this is how often that may be wrong.
doubt = 0.05
# Words by which the first batch is found, as Bob would search for them. AND, NOT, quotation marks and * mean nothing.
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

# The court, or whom it appoints, settles what Alice and Bob disagree about.
[parties.court]
name = ""
key = "court.key.pub"
'''
