"""Trent's `run`: the program beside his key that fills and reads the mailbox, and his own page.

taking     one posted answer, objection or wish: what becomes of it
asking     the questions that lie in the mailbox
hold       how long a wave waits before Bob is shown it
wishes     what Trent asks as soon as nobody must answer: late claims, claw-backs, amendments
kept       objections, and second answers that contradict the first, for people to look at
loop       all that, again and again; safe to kill at any moment
actions    what Trent's buttons do, and in which words they ask first
standing   where the matter stands, for the page
charts     rounds as small pictures
page       the page
"""
