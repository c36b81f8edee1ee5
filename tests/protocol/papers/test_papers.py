"""Papers to agree on: drafts for counsel, in which every number comes from the terms or the account."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from docs.drafts import EXAMPLE
from ledger.roles import Role
from protocol.cli import main
from protocol.commands import wording
from protocol.corpus.corpus import Corpus
from protocol.exchange import run as running
from protocol.exchange import tasks
from protocol.exchange.register import Register
from protocol.exchange.tasks import Task
from protocol.exchange.termsfile import TermsFile
from protocol.matter import summary, terms
from protocol.matter.values import Caption
from protocol.papers import drafts, ground, paper
from protocol.papers.checking import for_the_court
from protocol.papers.ground import Ground
from protocol.papers.paper import MARK, Blank, Items, Paper, Quoted, Rows, Section
from protocol.rules import table
from protocol.sources.formats.docx import EXTRACTOR
from protocol.sources.parts import File
from tests.support import matters
from tests.support.builders import KEYS

FILES = ("stipulated-order", "502d-order", "disclosure-statement")
VALIDATIONS = (
    None,
    terms.validation(),
    terms.validation(show="0.1", viewer="court"),
    terms.validation(review="0.1", show="0.3", **{"yield": None}),
)


def markdowns(found: Ground) -> dict[str, str]:
    return {each.name: paper.markdown(each) for each in drafts.papers(found)}


def order(found: Ground) -> str:
    return " ".join(markdowns(found)["stipulated-order"].split())


# The mark of a draft


@pytest.mark.parametrize("name", FILES)
def test_every_paper_is_marked_as_a_draft_in_its_name_and_at_both_ends(name: str) -> None:
    text = markdowns(EXAMPLE)[name]
    lines = text.strip().splitlines()
    assert lines[0] == lines[-1] == f"**{MARK}**"
    assert f"DRAFT-{name}.docx" in drafts.files(EXAMPLE)


@pytest.mark.parametrize("name", FILES)
def test_a_word_file_has_the_mark_on_each_page_and_the_words_of_the_markdown(name: str) -> None:
    text = EXTRACTOR.extract(File(name="a.docx", content=drafts.files(EXAMPLE)[f"DRAFT-{name}.docx"])).text
    assert f"Header:\n{MARK}" in text
    told = re.sub(r"\W+", " ", text)
    plain = re.sub(r"[*\\|>#]|^- |---", "", markdowns(EXAMPLE)[name], flags=re.MULTILINE).replace(MARK, "")
    for sentence in re.split(r"\n\n+", plain):
        assert re.sub(r"\W+", " ", sentence).strip() in told, sentence


def test_the_same_matter_gives_the_same_bytes() -> None:
    assert drafts.files(EXAMPLE) == drafts.files(EXAMPLE)


# Numbers


def known_numbers(found: Ground) -> set[str]:
    """Every number of the terms and the account, and what the papers make of them."""
    values = json.dumps(msgspec.to_builtins((found.terms, found.corpus), enc_hook=bytes.hex))
    numbers = {each.rstrip(".") for each in re.findall(r"[0-9][0-9.]*", values)}
    shares = {Fraction(each) for each in numbers if each.count(".") == 1}
    shares |= {1 - each for each in shares} | {one * other for one in shares for other in shares}
    doubt = Fraction(found.terms.doubt)
    most = min(found.terms.rounds * found.terms.batch, found.corpus.documents)
    return numbers | {f"{float(100 * each):g}" for each in shares} | {str(doubt.denominator), str(most)}


RULES = re.compile(r"(Fed\. R\. (Civ\. P|Evid)\. [0-9]+|[0-9]+\([a-z0-9]+\)|\(\d+\)|902\(13\) and)")


@pytest.mark.parametrize("protocol", table.names())
@pytest.mark.parametrize("validation", VALIDATIONS)
def test_every_number_comes_from_the_terms_or_the_account(protocol: str, validation: object) -> None:
    agreed = terms.terms(protocol=protocol, rounds=7, batch=130, doubt="0.04", validation=validation)  # type: ignore[arg-type]
    found = replace(EXAMPLE, terms=agreed, tools={})
    known = known_numbers(found) | {"6", "0.1.0", "30"}  # the method, the version, and V30
    for each in drafts.papers(found):
        for section in each.sections:
            for piece in section.pieces:
                words = RULES.sub("", str(piece).replace(found.caption.request, ""))
                words = re.sub(
                    r"\b[0-9a-f]{64}\b|X-200|[0-9]{4}-[0-9]{2}-[0-9]{2}|1 - doubt|SHA-256|902|502|k - 1|\b3 err\*",
                    "",
                    words,
                )
                numbers = {number.replace(",", "").rstrip(".") for number in re.findall(r"[0-9][0-9.,]*", words)}
                assert numbers <= known, (numbers - known, words)


@pytest.mark.parametrize("protocol", table.names())
@pytest.mark.parametrize("validation", VALIDATIONS)
def test_papers_for_a_court_do_not_speak_of_alice_and_bob(protocol: str, validation: object) -> None:
    agreed = terms.terms(protocol=protocol, rounds=7, batch=130, validation=validation)  # type: ignore[arg-type]
    for text in markdowns(replace(EXAMPLE, terms=agreed)).values():
        named = text.replace("(in the record: Alice)", "").replace("(Bob)", "").replace("(Trent)", "")
        assert re.findall(r"\b(Alice|Bob|Trent|she|her|he|him|his)\b", named) == []
        assert not re.search(r"[a-z]{2}\. the (Producing|Requesting|Neutral)", named.replace("\n", " "))


@pytest.mark.parametrize(
    ("decimal", "shown"), [("0.9", "90%"), ("0.025", "2.5%"), ("0.05", "5%"), ("0.0001", "0.01%"), ("1", "100%")]
)
def test_a_share_is_written_as_an_exact_percentage(decimal: str, shown: str) -> None:
    assert ground.percent(decimal) == shown


def test_without_validations_the_order_says_what_is_not_certified() -> None:
    found = replace(EXAMPLE, terms=terms.terms(protocol="spot-check", rounds=2, batch=10))
    assert "Nothing will be certified about documents that nobody has reviewed" in order(found)
    assert "The terms ask for no validation" not in order(EXAMPLE)


def test_the_order_promises_no_target() -> None:
    told = order(EXAMPLE)
    assert "Nothing in this Order promises that a target is reached." in told
    assert "It is not a probability about particular documents." in told
    assert "Nothing in the review proves anything about what the Neutral never received." in told


def test_classes_and_a_seed_are_told_where_there_are_any() -> None:
    assert "into these classes: medical; in all at most 1% of the documents" in order(EXAMPLE)
    assert "“X-200 heater recall”" in order(EXAMPLE)
    plain = replace(EXAMPLE, terms=terms.terms(protocol="spot-check", rounds=2, batch=10))
    assert "Sensitive classes" not in order(plain)
    assert "There is no seed query: the first batch is drawn by coin from all documents." in order(plain)


def test_an_account_without_exceptions_leaves_none_to_agree_on() -> None:
    clean = msgspec.structs.replace(
        EXAMPLE.account, exceptions=0, reasons={}, unread=0, items=EXAMPLE.account.items - 212, protections=()
    )
    found = replace(EXAMPLE, corpus=msgspec.structs.replace(EXAMPLE.corpus, account=clean))
    assert "could not be read" not in order(found)
    statement = markdowns(found)["disclosure-statement"]
    assert "No item was left out." in statement
    assert "The account states no protection of the machine" in statement


def test_the_statement_lists_reasons_tools_and_protections() -> None:
    statement = markdowns(EXAMPLE)["disclosure-statement"]
    for row in ("| encrypted | 118 |", "| pypdfium2 5.0.0 |  | 11,214 |", "- no network"):
        assert row in statement
    assert "draft this statement with the corpus" in markdowns(replace(EXAMPLE, tools=None))["disclosure-statement"]


def test_a_sentence_of_the_program_is_told_as_a_court_says_it() -> None:
    assert for_the_court("Alice labels; she is read by Bob, and he tells the court") == (
        "The Producing Party labels; the Producing Party is read by the Requesting Party, and the Requesting Party "
        "tells the Court."
    )


# Strangers' words


HOSTILE = "A *v.* B <script>x</script> [l](http://x) `c` | d\n# heading\n- item\n> quote\u202e"


def test_words_from_the_terms_cannot_become_markup() -> None:
    caption = Caption(case=HOSTILE, court=HOSTILE, names=dict.fromkeys(Role, HOSTILE), request=HOSTILE)
    for text in markdowns(replace(EXAMPLE, caption=caption)).values():
        assert "<script" not in text.replace("\\<", "")
        assert "[l](" not in text
        assert "\u202e" not in text
        assert not re.search(r"^# heading|^- item", text, re.MULTILINE)


def test_a_wrapped_line_does_not_become_a_list_or_a_heading() -> None:
    words = " ".join(["word"] * 23 + ["-"] + ["word"] * 40 + ["#", "1.", "x"] * 30)
    made = Paper(name="x", title="x", front=(), sections=(Section(heading="h", pieces=(words, Items((words,)))),))
    lines = paper.markdown(made).splitlines()
    assert [line for line in lines if re.match(r"\s*([-+#>] |1\. )", line) and "word word" not in line[:20]][:1] == [
        "# x"
    ]


def test_every_sort_of_piece_is_written() -> None:
    pieces = ("one", Quoted("q\nr"), Items(("i",)), Rows((("a", "b"), ("c", "d"))), Blank("x\ny"), "two")
    made = Paper(name="x", title="T", front=(), sections=(Section(heading="h", pieces=pieces),))
    text = paper.markdown(made)
    for words in ("1.1 one", "> q\n> r", "- i", "| a | b |\n|---|---|\n| c | d |", "x  \ny  ", "1.2 two"):
        assert words in text


# The command


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["matter", "papers", *map(str, words)])


@pytest.fixture
def terms_file(tmp_path: Path) -> Path:
    """A terms file that is filled in, except for the keys."""
    text = CliRunner().invoke(main, ["matter", "terms"]).output
    for name in ("case", "court", "name"):
        text = text.replace(f'{name} = ""', f'{name} = "The {name}"')
    path = tmp_path / "terms.toml"
    path.write_text(text.replace('request = """\n"""', 'request = "All mails"'))
    return path


def test_papers_are_drafted_from_terms_whose_keys_are_missing(
    terms_file: Path, small_corpus: Corpus, tmp_path: Path
) -> None:
    done = run(terms_file, "--corpus", small_corpus.path, "--out", tmp_path / "papers")
    assert done.exit_code == 0, done.output
    written = {path.name for path in (tmp_path / "papers").iterdir()}
    assert written == {f"DRAFT-{name}.{ending}" for name in FILES for ending in ("md", "docx")}
    assert f"{small_corpus.size} documents" in (tmp_path / "papers/DRAFT-stipulated-order.md").read_text()
    assert small_corpus.root.hex() in (tmp_path / "papers/DRAFT-disclosure-statement.md").read_text()


def test_a_terms_file_needs_the_documents(terms_file: Path, tmp_path: Path) -> None:
    done = run(terms_file, "--out", tmp_path / "papers")
    assert done.exit_code == 2
    assert "--corpus CORPUS" in done.output


def test_terms_that_are_not_filled_in_are_refused_with_what_is_missing(small_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "terms.toml").write_text(CliRunner().invoke(main, ["matter", "terms"]).output)
    done = run(tmp_path / "terms.toml", "--corpus", small_corpus.path, "--out", tmp_path / "papers")
    assert done.exit_code == 1
    assert "caption.case is empty" in done.output
    assert not (tmp_path / "papers").exists()


def test_a_simulation_has_no_papers(small_corpus: Corpus, tmp_path: Path) -> None:
    with matters.start(small_corpus, tmp_path / "matter", rounds=1):
        pass
    done = run(tmp_path / "matter", "--out", tmp_path / "papers")
    assert done.exit_code == 1
    assert "is a simulation" in done.output


def opened(corpus: Corpus, path: Path) -> Ground:
    """The same terms and caption, in a matter that is opened."""
    keys = {role: key.public for role, key in KEYS.items()}
    agreed = TermsFile(terms=matters.small_terms(query=""), caption=EXAMPLE.caption, keys=keys)
    running.open_matter(path, agreed, corpus, KEYS[Role.TRENT])
    return ground.of_matter(path)


def test_an_opened_matter_gives_the_papers_of_its_terms_and_its_number(small_corpus: Corpus, tmp_path: Path) -> None:
    found = opened(small_corpus, tmp_path / "matter")
    assert found.corpus.root == small_corpus.root
    assert found.matter is not None
    assert f"The matter has the number {found.matter.hex()}." in order(found)
    assert "The matter is not opened yet" in order(EXAMPLE)


def test_another_corpus_than_the_matters_is_refused(small_corpus: Corpus, built: Corpus, tmp_path: Path) -> None:
    opened(small_corpus, tmp_path / "matter")
    done = run(tmp_path / "matter", "--corpus", built.path, "--out", tmp_path / "papers")
    assert done.exit_code == 1
    assert "is not the corpus that the matter was opened with" in done.output
    assert run(tmp_path / "matter", "--out", tmp_path / "papers").exit_code == 0


def test_those_who_sign_and_who_opens_are_told_what_was_received(built: Corpus, tmp_path: Path) -> None:
    opened(built, tmp_path / "matter")
    state = summary.read(tmp_path / "matter")
    said = "10 items were received: 0 containers, 0 exceptions, 10 families; 10 documents entered"
    assert f"Received    {said}\n            they have 13 parts, 3 of which have no text\n" in wording.opened(state)
    assert wording.opened_value(state)["account"]["items"] == 10
    for role, kind in ((Role.ALICE, "agreed"), (Role.BOB, "agreed"), (Role.COURT, "deposited")):
        task = Task(
            role=role, kind=kind, round=0, entry=state.awaits[role].question, number=1, content={}, start=0, size=1
        )  # fmt: skip
        (told,) = tasks.guide(task, state, Register()).about
        assert said in told
        assert told.endswith("Nothing is known about what was never received.")


def test_the_tools_are_counted_over_all_parts(built: Corpus) -> None:
    found = ground.tools(built)
    assert sum(found.values()) == built.account.parts
    assert found["reader 1.0", "as mail"] == 1


@pytest.mark.slow
def test_libreoffice_opens_each_word_file(tmp_path: Path) -> None:
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    for name, content in drafts.files(EXAMPLE).items():
        (tmp_path / name).write_bytes(content)
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    made = sorted(tmp_path.glob("*.docx"))
    command = [
        soffice,
        home,
        "--headless",
        "--convert-to",
        "txt:Text (encoded):UTF8",
        "--outdir",
        str(tmp_path),
        *map(str, made),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    text = (tmp_path / "DRAFT-stipulated-order.txt").read_text("utf-8-sig")
    assert "Nothing in this Order promises that a target is reached." in text
