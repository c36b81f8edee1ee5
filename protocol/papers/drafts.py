"""All papers of a matter, as the files that are written."""

from protocol.papers import paper
from protocol.papers.ground import Ground
from protocol.papers.nonwaiver import nonwaiver
from protocol.papers.order import order
from protocol.papers.paper import Paper
from protocol.papers.statement import statement


def papers(ground: Ground) -> tuple[Paper, ...]:
    """The drafts."""
    return order(ground), nonwaiver(ground), statement(ground)


def files(ground: Ground) -> dict[str, bytes]:
    """Each draft as Markdown and as a Word file, by the name of the file."""
    found: dict[str, bytes] = {}
    for each in papers(ground):
        found[f"{each.file}.md"] = paper.markdown(each).encode()
        found[f"{each.file}.docx"] = paper.word_file(each)
    return found
