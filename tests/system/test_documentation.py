"""Docs that cannot drift: what they show is run, and what exists is in them."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ledger import copylines, entries, openings
from ledger.records import Record
from protocol import exchange
from protocol.cli import main
from protocol.matter.kinds import KINDS
from tests.support.pages import within
from tests.support.real_matter import run_here
from verifier.checks import DEFINITIONS, Check
from verifier.cli import main as verify
from verifier.replay.forms import FORMS

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def console_commands(path: Path) -> list[str]:
    """The commands of a page's console blocks, without their comments."""
    blocks = re.findall(r"```console\n(.*?)```", path.read_text(), re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [re.sub(r"\s+#.*", "", line) for line in lines]


def commands(command: click.Command, words: list[str]) -> Iterator[str]:
    yield " ".join(words)
    for name, inner in within(command).items():
        yield from commands(inner, [*words, name])


def undocumented() -> list[str]:
    """The commands of both programs that `docs/commands.md` does not show."""
    page = (ROOT / "docs/commands.md").read_text()
    every = (*commands(main, ["tallystick"]), *commands(verify, ["tallystick-verify"]))
    return [command for command in every if f"## `{command}`" not in page]


def test_every_command_is_documented() -> None:
    assert undocumented() == []


def shown_commands(page: Path) -> Iterator[str]:
    """Every command of ours that a page shows, in a block or within a sentence, without comments and redirections."""
    text = page.read_text()
    blocks = re.findall(r"```(?:console|sh)\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    for line in (*lines, *spans):
        words = re.sub(r"\s+#.*| > .*", "", line.removeprefix("$ "))
        if re.match(r"tallystick(-verify)? ", words):
            yield words


def wrong_words(line: str) -> list[str]:
    """The options of a command line that its command does not have, or the command itself if there is none."""
    program, *words = shlex.split(line)
    command: click.Command = {"tallystick": main, "tallystick-verify": verify}[program]
    while inner := within(command):
        word = words.pop(0) if words else ""
        if program == "tallystick-verify" and word not in inner:
            word = "copy"  # `tallystick-verify COPY`
        if not word or word.split("|")[0] not in inner:
            return [] if not word else [word]
        if "|" in word:  # several commands of one group, as in `key new|show`
            return [each for each in word.split("|") if each not in inner]
        command = inner[word]
    params = command.get_params(click.Context(command))
    known = {option for each in params for option in (*each.opts, *each.secondary_opts)}
    return [word for word in words if word.startswith("--") and word not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_shows_exists_with_its_options(page: Path) -> None:
    assert [(line, wrong) for line in shown_commands(page) if (wrong := wrong_words(line))] == []


def test_a_wrong_command_in_a_page_would_be_noticed() -> None:
    assert wrong_words("tallystick matter begin x") == ["begin"]
    assert wrong_words("tallystick copy m --from bob --out b.jsonl") == ["--from"]
    assert wrong_words("tallystick-verify bob.jsonl --documents received --explained") == ["--explained"]
    assert len([line for page in PAGES for line in shown_commands(page)]) > 150


def test_the_map_of_the_exchange_names_each_of_its_modules() -> None:
    told = set(re.findall("[a-z_]+", exchange.__doc__ or ""))
    modules = {path.stem for path in Path(*exchange.__path__).glob("*.py")} - {"__init__"}
    assert len(modules) > 10
    assert modules <= told


def runnable(page: str) -> list[str]:
    """Every tallystick command of a page's console blocks, in the order of the page."""
    shown = [line for line in console_commands(ROOT / page) if line.startswith("tallystick")]
    assert len(shown) >= 4
    return shown


def run_commands(page: str, folder: Path) -> dict[str, str]:
    """What every tallystick command of a page prints."""
    printed = {}
    for line in runnable(page):
        program, *arguments = shlex.split(line)
        command = [str(Path(sys.executable).parent / program), *arguments]
        passphrase = "a long passphrase\na long passphrase\n"
        run = subprocess.run(command, cwd=folder, input=passphrase, capture_output=True, text=True, check=False)
        assert run.returncode == 0, f"{line}: {run.stderr}"
        printed[line] = run.stdout
    return printed


@pytest.mark.slow
@pytest.mark.parametrize(("page", "parts"), [("docs/simulation.md", 10), ("docs/reading-a-verdict.md", 1)])
def test_every_tallystick_command_of_a_page_runs(tmp_path: Path, page: str, parts: int) -> None:
    """On a part of the documents, and within this process: the README's commands are run as they are installed."""
    for line in runnable(page):
        less = re.sub(r"(--documents|--responsive|--batch) (\d+)", lambda it: f"{it[1]} {int(it[2]) // parts}", line)
        run_here(tmp_path, *shlex.split(less))


@pytest.mark.slow
def test_the_verdict_in_the_readme_is_what_its_commands_print(tmp_path: Path) -> None:
    printed = run_commands("README.md", tmp_path)
    (block,) = re.findall(r"```text\n\$ (.*?)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    command, verdict = block
    said = printed[command]
    for part in verdict.split("…\n"):
        assert part in said, f"the README shows what the verifier does not say; it says\n{said}"
        said = said[said.index(part) + len(part) :]


def test_the_readmes_first_screen_has_a_verdict_and_the_two_commands_of_a_fresh_machine() -> None:
    first = (ROOT / "README.md").read_text().splitlines()[:30]
    for words in ("$ make demo", "$ make test", "VERIFIED: ", "  The whole collection:   Bob has at least"):
        assert any(line.startswith(words) for line in first), words


def test_every_make_command_of_the_readme_is_a_target_and_runs_on_ci() -> None:
    shown = [line for page in ("README.md", "CONTRIBUTING.md") for line in console_commands(ROOT / page)]
    shown = [line for line in shown if line.startswith("make ")]
    assert {"make demo", "make test", "make check"} <= set(shown)
    for line in shown:
        subprocess.run([*line.split(), "--dry-run"], cwd=ROOT, capture_output=True, check=True)
    for line in ("make demo\n", "make test\n", "make check\n"):
        assert line in (ROOT / ".ci/run").read_text()


RECORDS: list[type[Record]] = [
    entries.Sealed,
    entries.Statement,
    entries.Release,
    entries.Body,
    openings.Group,
    entries.Attachment,
    entries.Enrolment,
    copylines.Manifest,
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_of_a_record_is_documented(record: type[Record]) -> None:
    page = (ROOT / "docs/specification.md").read_text()
    for name in record.__struct_fields__:
        assert re.search(rf'[`"]{name}[`"]', page), f"{record.__name__}.{name}"


def test_the_ledgers_own_kinds_are_documented() -> None:
    page = (ROOT / "docs/specification.md").read_text()
    for kind in (entries.OPEN, entries.CONFLICT):
        assert f"`{kind}`" in page


def test_every_hash_and_signature_tag_is_documented() -> None:
    page = (ROOT / "docs/specification.md").read_text()
    packages = ("ledger", "protocol/corpus", "protocol/matter")
    source = "".join(path.read_text() for package in packages for path in sorted((ROOT / package).glob("*.py")))
    hashed = set(re.findall(r'tagged_hash\(["\']([\w-]+)["\']', source)) | set(
        re.findall(r'type_tag\("(\w+)"\)', source)
    )
    signed = set(re.findall(r'(?:sign|signed)\((?:\w+, )?"(\w+)"', source))
    assert {"entry", "coin", "draw"} <= hashed
    assert signed == {"entry", "statement", "manifest"}
    for tag in hashed:
        assert f'H("{tag}"' in page
    for tag in signed:
        assert f"`{tag}`" in page


def test_every_decision_is_in_the_index() -> None:
    index = (ROOT / "docs/decisions/README.md").read_text()
    for path in (ROOT / "docs/decisions").glob("0*.md"):
        assert f"({path.name})" in index


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_a_page_has_more_than_120_characters(page: Path) -> None:
    assert [line for line in page.read_text().splitlines() if len(line) > 120] == []


def anchors(page: Path) -> set[str]:
    """The names by which a link reaches the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    again = [f"{name}-{count}" for place, name in enumerate(names) if (count := names[:place].count(name))]
    return {*names, *again}


def test_every_link_between_pages_leads_to_a_file_and_a_heading() -> None:
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(
            r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
        )
        if not target.startswith("https://")
    ]
    assert len(links) > 100
    for page, target in links:
        name, _, heading = target.partition("#")
        led = page.parent / name if name else page
        assert led.exists(), f"{page.name}: {target}"
        assert not heading or heading in anchors(led), f"{page.name}: {target}"


def test_every_experiment_is_in_the_papers_table_and_in_the_results() -> None:
    experiments = within(within(main)["experiment"])
    assert len(experiments) == 11
    for page in ("paper", "results"):
        text = (ROOT / f"docs/{page}.md").read_text()
        for name in experiments:
            assert f"tallystick experiment {name}" in text, f"{name} is not in docs/{page}.md"


def test_every_part_of_the_paper_is_in_the_table() -> None:
    folder = os.environ.get("TALLYSTICK_DATA")
    papers = list((Path(folder).parent / "paper").glob("*.tex")) if folder else []
    if not papers:
        pytest.skip("the paper is not there: it is looked for beside the folder that TALLYSTICK_DATA names")
    table = (ROOT / "docs/paper.md").read_text()
    labels = re.findall(r"\\label\{((?:alg|fig|tab|thm|lem|cor):[^}]+)\}", papers[0].read_text())
    assert len(labels) > 20
    assert [label for label in labels if f"`{label}`" not in table] == []


def test_constraints_hold_names_and_versions_only() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line), line


def test_every_kind_of_entry_and_every_field_of_it_is_documented() -> None:
    page = (ROOT / "docs/specification.md").read_text()
    for name, kind in KINDS.items():
        assert f"- `{name}`: by " in page
        for field in kind.record.__struct_fields__:
            assert f"`{field}`" in page, f"{name}: {field}"


def test_every_check_is_in_the_specification_and_in_the_threat_model() -> None:
    specification, threats = ((ROOT / "docs" / name).read_text() for name in ("specification.md", "threat-model.md"))
    assert DEFINITIONS.keys() == set(Check)
    outcomes = specification[specification.index("## How each check ends") :]
    for check in Check:
        assert re.search(rf"^{check}  {DEFINITIONS[check].name}  ", specification, re.MULTILINE)
        assert check in outcomes
    for check in set(Check) - {Check.FORMAT}:
        assert check in threats


def test_the_verifier_knows_the_kinds_and_fields_that_the_protocol_writes() -> None:
    assert {kind.value for kind in FORMS} == KINDS.keys()
    for kind, form in FORMS.items():
        assert set(form.content.__dataclass_fields__) == set(KINDS[kind.value].record.__struct_fields__)
