"""The mailbox between Trent and the parties: what faces the network, and holds nothing.

What lies in it is sealed for one key each, so whoever reads the mailbox learns who is asked when, and no more.

    sealing     a file sealed for the holder of one key, however large it is
    notices     what Trent signs for the mailbox: whose keys are in force, and what became of an answer
    layout      the folder: every file whole or not at all; arriving receives an answer into it
    filling     Trent's hand in it: puts questions, takes answers, leaves receipts; has the key
    origins     the name of a server, as both sides write it
    challenge   the login: a party signs what the server asks, once
    errors      what is refused, and why

The server, which has no key:

    sessions    who is logged in
    limits      how much the server takes on
    rates       how many requests are too many
    logbook     the access log: every request and refusal, without contents
    guard       what holds for every request: rates, time, size, and a line in the log
    server      what can be asked for
    listener    how many connections there are at a time, and how long one may stay silent
    running     all that together, until it is told to stop

The party's side is `client`, which needs nothing but the standard library and the keys.
"""
