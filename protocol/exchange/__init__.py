"""A matter between real parties: each holds its own key on its own machine, and what travels between them is files.

What travels, from the outside in:

    packages     a folder or a zip, written whole and read with suspicion
    question     Trent's question in it, whose parts are
        request          what is asked of whom, under his signature, and how all files are called
        served           the lines of history
        instructions     README.txt
        pages            the documents as pages to read
        forms            labels.csv and privilege.csv, blank and filled in; spreadsheet reads what people save
    answerfile   the party's answer

Trent's side:

    termsfile    TERMS.toml, of which termstemplate is the blank one
    run          the matter with its documents: opened, and gone on with until somebody must answer
    office       the matter without documents: answers accepted, the court and all asked, the matter closed
    register     what was asked of whom, and what each party has seen; asking says who must do what next
    outbox       the questions; cutting takes the history out of the matter for them
    keeping      what lies beside his key: sealed deposits that wait, and how far he has signed
    docket       what `tallystick status` tells

A party's side, which needs neither Trent's installation nor a network:

    memory       what it keeps beside its key
    continuing   whether the question continues the history that it knows
    chains       its coin chain, its own or from the deposit
    documents    whether the documents, and the pages that people read, are those of the matter, by their proofs
    standing     all that, checked: one party before one question
    saying       what the person's decisions say in answer
    answering    the answer, made once
    showing      what the person sees before it is signed; listing shows it document by document

Both sides have `secrets` (all that derives from a key, or is sealed for one) and `errors`.
"""
