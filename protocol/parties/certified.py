"""What Trent claims to be proven about the documents, in sentences for who is asked to sign the end."""

from collections.abc import Iterator

from protocol.matter.kinds.claims import Claims


def certified(stated: Claims) -> Iterator[str]:
    """What Trent claims to be proven about the documents."""
    reviewed, collection = stated.certificates.reviewed, stated.certificates.collection
    if stated.in_camera:
        yield f"{stated.in_camera} more were read by the court alone, and are not responsive"
    yield (
        f"of the responsive documents among those reviewed, Bob is missing at most {reviewed.at_most}, except with "
        f"probability {reviewed.doubt}{_target(reviewed.target, reached=reviewed.reached)}"
    )
    if collection.at_most is None:
        yield f"nothing is proven about the {collection.unreviewed} documents that nobody has reviewed"
    else:
        yield (
            f"of the whole collection, he is missing at most {collection.at_most} responsive documents, except with "
            f"probability {collection.doubt}{_target(collection.target, reached=collection.reached)}"
        )
    yield f"Assumed: {reviewed.assumes}"


def _target(target: str | None, *, reached: bool | None) -> str:
    return "" if target is None else f"; the target of {target} is {'' if reached else 'NOT '}reached"
