"""Time stamps (RFC 3161) of checkpoints and of any file: asked for, read, and kept beside a matter.

    texts     what is stamped for a matter: a checkpoint's text at one size
    request   the query that goes to an authority
    der       as much of a token's encoding as the others need
    tokens    what an authority sent, read; its imprint, its nonce, and its signature if roots are given
    adding    which size of a matter a token stamps
    kept      the folder of tokens beside a matter

Whoever doubts a stamp asks the verifier, which shares no code with this package.
"""
