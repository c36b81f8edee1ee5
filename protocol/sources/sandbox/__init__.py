"""Where a stranger's files are read: processes that can reach neither the network nor a file, and end in time.

crew.py        workers, and results in the order of the questions
worker.py      what a worker does, and how it shuts itself in
frames.py      how parent and worker talk
programs.py    other programs, such as an office suite, run on one file
confine.py     what Linux and other systems offer for this
"""
