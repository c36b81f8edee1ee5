"""A party's room: the review in a browser, with the key at home.

    sources    where questions come from and answers go: a folder, or a single question
    mailbox    the same with Trent's mailbox, kept on this machine so that a cut network stops nobody
    earlier    documents that a question only lists, from the question in which they came
    settings   what the person has chosen once, kept beside the key
    drafts     every decision as it is made, kept at once, with undo
    sheets     what a question asks for, what of it is still missing, and the decisions as values
    chances    what Bob will see of a report, before it is signed
    reading    the documents as they are shown: fields, family, text, search
    desk       one question, open on the desk: checked, decided, signed
    desks      the questions that are open, each checked once, in the background
    receipts   what the person keeps of an answer
    room       all of it together: what waits, what was answered, what is answered by itself
    app        all pages: front (list, key, settings), questions, steps (what scripts ask for), signing
    handling   how pages are called, with refusals in words

Everything that is checked or signed goes through `protocol.exchange.answering`, as in `tallystick answer`.
"""
