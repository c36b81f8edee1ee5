"""A linear program that stays: HiGHS with what a sequence of similar programs needs, each begun where one ended."""

from typing import Any

import numpy as np

from protocol.errors import ProtocolError, TrentOnly
from protocol.paper.geometry.points import Floats

try:
    import highspy
except ImportError:
    raise TrentOnly("linear programs need one more package: pip install 'tallystick[trent,experiments]'") from None

INFINITY = float(highspy.kHighsInf)
_Highs: Any = highspy.Highs  # whose types leave out half of what it has
_OPTIMAL = highspy.HighsModelStatus.kOptimal
_ENDS = (_OPTIMAL, highspy.HighsModelStatus.kObjectiveBound)
_NOTHING = np.zeros(0, np.int32), np.zeros(0)


class Unsolved(ProtocolError):
    """The solver gave no optimal solution."""


class Solver:
    """One model, minimised by the simplex method on one core."""

    def __init__(self) -> None:
        self._model: Any = _Highs()
        for name, value in (
            ("output_flag", False),
            ("presolve", "off"),
            ("solver", "simplex"),
            ("simplex_scale_strategy", 0),  # the rows are scaled already
            ("threads", 1),
            ("parallel", "off"),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
        ):
            self._model.setOptionValue(name, value)
        self._columns = self._rows = 0

    def column(self, cost: float, low: float, high: float, entries: Floats | None = None) -> None:
        """One more variable, with its entries in all rows."""
        self._model.addCol(cost, low, high, *_entries(entries))
        self._columns += 1

    def row(self, entries: Floats | None, low: float, high: float) -> None:
        """One more constraint."""
        self._model.addRow(low, high, *_entries(entries))
        self._rows += 1

    def costs(self, values: Floats) -> None:
        """Other costs for all variables."""
        self._model.changeColsCost(len(values), np.arange(len(values), dtype=np.int32), values)

    def demand(self, values: Floats) -> None:
        """Other right-hand sides for all equations."""
        self._model.changeRowsBounds(len(values), np.arange(len(values), dtype=np.int32), values, values)

    def bound(self, column: int, high: float) -> None:
        """Another upper bound for a variable."""
        self._model.changeColBounds(column, 0.0, high)

    def solve(self, enough: float = INFINITY) -> Floats | None:
        """The variables' optimal values; None once it is clear that the least cost is above `enough`."""
        self._model.setOptionValue("objective_bound", enough)
        status = self._run()
        if status not in _ENDS:
            self._model.clearSolver()  # once more, from nothing
            status = self._run()
        if status not in _ENDS:
            raise Unsolved(f"the linear program ended as {self._model.modelStatusToString(status)}")
        self._solution: Any = self._model.getSolution()
        return np.array(self._solution.col_value) if status == _OPTIMAL else None

    def _run(self) -> Any:
        self._model.run()
        return self._model.getModelStatus()

    def prices(self) -> Floats:
        """The dual values of the rows, after `solve`."""
        return np.array(self._solution.row_dual)

    def basic_columns(self) -> list[int]:
        """Which variables are basic, after `solve`; fewer than there are rows where a row's slack is."""
        _, found = self._model.getBasicVariables()
        return [int(each) for each in found if each >= 0]


def _entries(values: Floats | None) -> tuple[int, Any, Any]:
    if values is None:
        return 0, *_NOTHING
    return len(values), np.arange(len(values), dtype=np.int32), values
