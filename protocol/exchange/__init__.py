"""The files that travel between real parties, each with its own key on its own machine.

What travels, from the outside in:

    packages       a folder or a zip, written whole and read with suspicion; hostile_names says which it refuses
    question_file  Trent's question in it, with the parts
        filenames      what its files are called
        readme         README.txt
        release        which release of the program wrote it, and the hash of its wheel
        documents      whether the documents, and the pages that people read, are those of the matter; proofs says
                       where their proofs lead
        pages          the documents as pages to read, built with markup; details has what is known about each
        disclosed      the list of what Bob was shown, for Alice, who may ask some of it back
        forms          labels.csv, privilege.csv and withheld.csv, blank and filled in; formrows finds what each row is
                       about, partcells the parts that it names, and spreadsheet reads what people save; alikeform has
                       alike.csv
        asked_alike    the list of what is alike, as Alice's client takes it
    answering      a party's way from a question to an answer: the steps that the command and the room share
    answer_file    the party's answer
    objection_file its objection, if the question is at fault
    verifying      what the installed verifier says of the copy that comes with a question to sign the end
    witnesses      whether those whom the party trusts have seen the operator's log
    errors         what is refused, and why

Trent's side:

    termsfile    TERMS.toml; termstemplate has the blank form
    office       a real matter's desk: accepts answers, asks the court and the parties, closes the matter
    witnessing   what outsiders have seen of the record, put on record
    at_work      whether `tallystick run` has the matter
    run          what needs the documents: opening a matter, and going on until somebody must answer
    register     what was asked of whom, and what each party has seen; tasks says who must do what next
    outbox       the questions; cutting takes the history out of the matter for them
    likenesses   what Alice is asked about besides, since it is like something else; candidates finds her terms
    keeping      what he keeps beside his key: sealed deposits to pass on, and how far he has signed
    docket       what `tallystick status` tells

A party's side is `protocol.parties`. Both have `errors`.
"""
