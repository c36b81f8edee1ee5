"""The parties: what each says, given what it was shown. People decide, or a simulation decides for them.

How a party answers a question, which needs neither Trent's installation nor a network:

    question       what Trent asks, under his signature, with the history that goes with it (history_lines)
    memory         what the party keeps beside its key
    history        whether the question continues the history that the party knows
    chains         its coin chain, its own or from the deposit
    party          Alice, Bob or the court: a fold over its notices, which signs what its decisions say
    view           all that, checked: one party before one question
    whereabouts    which document stands at which position, also where a round comes back to earlier ones
    declaration    whether its decisions are those that the question asks for
    answer         the answer, made once
    verdict        whether the party may sign the end of the record
    preview        what is shown before it is signed; facts are the terms in words
    objection      what is signed instead, if Trent's question is at fault
    reply          what goes back to Trent
    secrets        all that derives from a key, or is sealed for one
"""
