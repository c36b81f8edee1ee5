"""A format of sources is one module and its place in the registry's list; everything else follows."""

import importlib
import pkgutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from protocol.commands.corpus import corpus
from protocol.corpus.corpus import Corpus
from protocol.errors import BadSource
from protocol.sources import extractors, formats, registry
from protocol.sources.source import Format, Found, Sight, SourceDocument, whole_file

PARAGRAPHS = Format(
    name="paragraphs (.par)",
    described="one document a paragraph",
    is_container=True,
    recognises=lambda sight: sight.suffix == ".par",
    open=lambda path, _: whole_file(
        path,
        lambda *_: (
            Found(
                where=f"paragraph {number}", name=str(number), content=text.encode(), text=text, options="the paragraph"
            )
            for number, text in enumerate(path.read_text().split("\n\n"), 1)
        ),
    ),
)


def test_every_module_that_defines_a_format_is_listed() -> None:
    modules = [
        importlib.import_module(f"{formats.__name__}.{each.name}") for each in pkgutil.iter_modules(formats.__path__)
    ]
    defined = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    assert {each.name for each in defined} <= {each.name for each in registry.FORMATS}


@pytest.mark.parametrize(
    ("attribute", "listed"),
    [("EXTRACTOR", extractors.READERS), ("PROGRAM", extractors.HELPERS), ("CONTAINER", extractors.BOXES)],
)
def test_every_module_that_defines_a_reader_a_program_or_a_container_is_listed(
    attribute: str, listed: tuple[str, ...]
) -> None:
    names = [each.name for each in pkgutil.iter_modules(formats.__path__)]
    modules = {name: importlib.import_module(f"{formats.__name__}.{name}") for name in names}
    defining = {name for name, module in modules.items() if {attribute, f"{attribute}S"} & set(vars(module))}
    assert defining <= set(listed)


def test_a_new_format_is_found_read_built_and_named_in_the_refusal_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "FORMATS", (PARAGRAPHS, *registry.FORMATS))
    source = tmp_path / "notes.par"
    source.write_text("one word\n\ntwo words")
    read = [item for item in registry.find(source).read() if isinstance(item, SourceDocument)]
    assert [(each.name, each.text) for each in read] == [("1", "one word"), ("2", "two words")]
    done = CliRunner().invoke(corpus, ["build", str(source), "--out", str(tmp_path / "corpus")])
    assert done.exit_code == 0, done.output
    made = Corpus.open(tmp_path / "corpus")
    assert (made.size, made.fields(1).rest.extraction.options) == (2, "the paragraph")
    assert (made.account.items, made.account.containers, made.account.entered) == (3, 1, 2)
    with pytest.raises(BadSource, match=r"does not exist; a source is paragraphs \(.par\), .* or any other file"):
        registry.find(tmp_path / "nowhere.par")


def test_the_first_format_that_recognises_a_source_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("From the archive,id,text\nx,1,words\n")
    assert [item.name for item in registry.find(path).read() if isinstance(item, SourceDocument)] == ["1"]


def test_a_folder_is_no_file_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "mails.csv"
    folder.mkdir()
    (folder / "a.txt").write_text("words")
    assert registry.find(folder).total == 1
    recognised = [each.name for each in registry.FORMATS if each.recognises(_sight(folder))]
    assert recognised == ["a folder"]


def _sight(folder: Path) -> Sight:
    return Sight(path=folder, is_folder=True, suffix="", start=b"")


def test_the_help_of_corpus_build_lists_every_format() -> None:
    shown = CliRunner().invoke(corpus, ["build", "--help"]).output
    for each in registry.FORMATS:
        assert f"{each.name}: {each.described}" in shown
