"""Made-up mail of an energy trader for people to read: threads, replies, attachments, custodians, in plain English.

`protocol.sources.synthetic` makes benchmarks of any size out of made-up words. This recipe is for demonstrations,
documentation and rooms, where somebody looks at the documents. The firm, its people and its deals do not exist.

The same arguments give the same bytes on every machine: all choices are integers cut from SHAKE-128 of the seed and
the thread's number.
"""
