"""Does a test notice? `make mutants` changes the verifier's rules one place at a time and runs the tests about them.

    python -m tests.mutants [MODULE ...]      such as verifier/rules/bound.py; without one, all rule modules

Each mutant lives in a copy of the tree. What survives is listed; docs/results.md says of each why.
"""

import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parent.parent
WORKERS = 2
TIMEOUT = 300  # seconds, many times what the tests take: a mutant that hangs is noticed too

MODULES = [
    *(
        f"verifier/rules/{name}.py"
        for name in (
            *("base", "bound", "classifier", "coins", "label", "reveal_all", "spot_check", "table", "terms"),
            "validation",
        )
    ),
    *(
        f"verifier/replay/{name}.py"
        for name in (
            *("answers", "batches", "bookkeeping", "books", "catalogue", "claims", "coins", "conflicts", "course"),
            *("disclosures", "documents", "escalations", "numbers", "order", "orders", "outcomes", "privilege"),
            *("recent", "reports", "rounds", "state", "terms", "training", "turns", "validating", "validations"),
            "withheld",
        )
    ),
    *(f"verifier/record/{name}.py" for name in ("chain", "entitlement", "trees")),
    *(f"verifier/corpus/{name}.py" for name in ("model", "ranking")),
    *(
        f"verifier/certificates/{name}.py"
        for name in ("binomial", "boundary", "collection", "exact", "intervals", "reviewed")
    ),
    "verifier/logarithms.py",
]
TESTS = {
    "rules": [
        *("tests/verifier/test_function_vectors.py", "tests/verifier/test_rules.py"),
        "tests/verifier/test_validation_rules.py",
    ],
    "replay": [
        *("tests/verifier/test_checks.py", "tests/verifier/test_events.py"),
        *("tests/verifier/test_numbers.py", "tests/verifier/test_recent.py", "tests/verifier/test_books.py"),
        *("tests/verifier/test_escalations.py", "tests/verifier/test_validations.py"),
        *("tests/verifier/test_validating.py", "tests/verifier/test_withheld.py"),
    ],
    "record": ["tests/verifier/test_record.py", "tests/verifier/test_checks.py"],
    "corpus": ["tests/verifier/test_corpus_model.py", "tests/verifier/test_corpus_ranking.py"],
    "certificates": ["tests/verifier/certificates"],
    "logarithms.py": ["tests/verifier/test_function_vectors.py", "tests/verifier/test_rules.py"],
}
"""What is run for a mutant of each package: behind the transcripts, but for the rules, which those exercise little."""

COPIED = ("ledger", "protocol", "verifier", "tests", "pyproject.toml", "README.md", "docs")

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Pow: ast.Mult,
}


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Other nodes in place of this one, each with what it changes."""
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in _COMPARISONS:
            changed = deepcopy(node)
            changed.ops[0] = _COMPARISONS[type(first)]()
            yield f"{type(first).__name__} -> {type(changed.ops[0]).__name__}", changed
        case ast.BoolOp(op=op):
            changed_op = deepcopy(node)
            changed_op.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and <-> or", changed_op
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            changed_bin = deepcopy(node)
            changed_bin.op = _OPERATORS[type(op)]()
            yield f"{type(op).__name__} -> {type(changed_bin.op).__name__}", changed_bin
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not dropped", operand
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "minus dropped", operand
        case ast.Constant(value=bool(value)):
            yield f"{value} -> {not value}", ast.Constant(value=not value)
        case ast.Constant(value=int(value)):
            yield f"{value} -> {value + 1}", ast.Constant(value=value + 1)
        case ast.AugAssign(op=op) if type(op) in _OPERATORS:
            changed_aug = deepcopy(node)
            changed_aug.op = _OPERATORS[type(op)]()
            yield f"{type(op).__name__}= -> {type(changed_aug.op).__name__}=", changed_aug
        case ast.Raise():
            yield "raise dropped", ast.Pass()
        case ast.Return(value=ast.Call(func=ast.Name("Broken"))):
            yield "Broken dropped", ast.Return(value=ast.Constant(value=None))
        case ast.Tuple(elts=elements) if all(isinstance(each, ast.Attribute) for each in elements[-1:]):
            for place in range(len(elements)):
                kept = [*elements[:place], *elements[place + 1 :]]
                yield f"{ast.unparse(elements[place])} left out", ast.Tuple(elts=kept, ctx=ast.Load())


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Every mutant of a module: the line, what was changed, and the module's new source."""
    tree = ast.parse(source)
    decorators = {
        id(inner) for node in ast.walk(tree) for each in getattr(node, "decorator_list", []) for inner in ast.walk(each)
    }
    for node in list(ast.walk(tree)):
        if id(node) in decorators:
            continue
        for name, value in ast.iter_fields(node):
            children = value if isinstance(value, list) else [value]
            for place, child in enumerate(children):
                if not isinstance(child, ast.AST):
                    continue
                for what, other in changes(child):
                    replaced = ast.copy_location(other, child)
                    if isinstance(value, list):
                        value[place] = replaced
                    else:
                        setattr(node, name, replaced)
                    yield getattr(child, "lineno", 0), what, ast.unparse(ast.fix_missing_locations(tree))
                    if isinstance(value, list):
                        value[place] = child
                    else:
                        setattr(node, name, child)


QUICK = """
import json, sys
from pathlib import Path
from verifier.verification import verify
from verifier.values import blamed
folder = Path("tests/vectors")
for case in json.loads((folder / "transcripts.json").read_bytes())["cases"]:
    if "other" not in case and not case["trust"]:
        verdict = verify(folder / case["copy"], corpus=folder / case["corpus"] if case["corpus"] else None)
        outcomes = {each.check: each.outcome for each in verdict.checks}
        if (verdict.answer, blamed(verdict), outcomes) != (case["verdict"], case["blamed"], case["outcomes"]):
            sys.exit(1)
"""
"""The transcripts alone, without a test runner: most mutants end here, in a second."""


def survives(tree: Path, module: str, source: str) -> bool:
    """Whether all tests pass with this source in place of the module's."""
    path = tree / module
    original = path.read_text()
    path.write_text(source)
    package = module.split("/")[1]
    options = ["-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", "not generated"]
    commands = [[sys.executable, "-B", "-m", "pytest", *options, *TESTS[package]]]
    if package in ("replay", "record"):
        commands.insert(0, [sys.executable, "-B", "-c", QUICK])
    try:
        for each in commands:
            if subprocess.run(each, cwd=tree, capture_output=True, timeout=TIMEOUT, check=False).returncode:
                return False
    except subprocess.TimeoutExpired:
        return False
    finally:
        path.write_text(original)
    return True


def main(modules: list[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        trees: Queue[Path] = Queue()
        for number in range(WORKERS):
            tree = Path(scratch, str(number))
            tree.mkdir()
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / name, tree)
            trees.put(tree)

        def judge(module: str, mutant: tuple[int, str, str]) -> bool:
            tree = trees.get()
            try:
                return survives(tree, module, mutant[2])
            finally:
                trees.put(tree)

        original = (ROOT / MODULES[0]).read_text()
        if not judge(MODULES[0], (0, "nothing", original)):
            sys.exit("the tests fail without any mutant: see to that first")
        total = left = 0
        for module in modules:
            found = list(mutants((ROOT / module).read_text()))
            with ThreadPoolExecutor(WORKERS) as threads:
                alive = list(threads.map(lambda mutant, module=module: judge(module, mutant), found))
            survivors = [mutant for mutant, lives in zip(found, alive, strict=True) if lives]
            total, left = total + len(found), left + len(survivors)
            print(f"{module}: {len(found)} mutants, {len(survivors)} survived", flush=True)
            for line, what, _ in survivors:
                print(f"  {module}:{line}  {what}", flush=True)
        print(f"{total - left} of {total} mutants were noticed, {left} survived")


if __name__ == "__main__":
    main(sys.argv[1:] or MODULES)
