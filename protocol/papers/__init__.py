"""Papers for counsel, drafted from the terms and the population account: a stipulated order, an order on non-waiver,
and a statement of what was received.

    ground      what the papers are drafted from, and the words for its numbers
    paper       a paper as paragraphs, and how it is written as Markdown and as a Word file
    order       the stipulated order for the review
    checking    its sections on checks, validations, certificates and stopping
    nonwaiver   the order under Fed. R. Evid. 502(d)
    statement   the disclosure statement
    caption     what stands at the head and at the end of each
    drafts      all of them, as files
"""
