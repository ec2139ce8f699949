"""Questions whose SQL a person has checked: their file, their dates, and the choice of examples."""

from datetime import date
from pathlib import Path

import pytest

from turnkeep_agents.database.verified import Pair, Verified, dated
from turnkeep_local.cli import main

TODAY = date(2026, 11, 22)  # a Sunday
PAIRS = Verified(
    (
        Pair("How many crews are there?", "SELECT COUNT(*) FROM crew"),
        Pair("Which crews are on duty today?", "SELECT name FROM crew WHERE dutyOn = {today}"),
        Pair("What did we invoice this year?", "SELECT SUM(amount) FROM invoice WHERE issuedOn >= {year}"),
    )
)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("{today}", "2026-11-22"),
        ("{today-90d}", "2026-08-24"),
        ("{today+30d}", "2026-12-22"),
        ("{week}", "2026-11-16"),
        ("{month}", "2026-11-01"),
        ("{month+2}", "2027-01-01"),
        ("{quarter-1}", "2026-07-01"),
        ("{year-1}", "2025-01-01"),
    ],
)
def test_a_period_is_its_first_day(written: str, day: str) -> None:
    assert dated(f"SELECT {written}, '{{name}}'", TODAY) == f"SELECT '{day}', '{{name}}'"


def test_the_nearest_runnable_examples_are_shown_with_dates() -> None:
    shown = PAIRS.nearest("how many crews", TODAY, str)
    assert shown[0] == "How many crews are there?\nSELECT COUNT(*) FROM crew"
    assert "dutyOn = '2026-11-22'" in " ".join(PAIRS.nearest("crews on duty today", TODAY, str))
    assert PAIRS.nearest("how many crews", TODAY, lambda _: "") == []
    assert Verified().nearest("how many crews", TODAY, str) == []


def test_the_command_lists_wrong_statements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {
        "one": "SELECT COUNT(*) AS n FROM crew",
        "two": "SELECT shoeSize FROM employee",
        "three": "SELECT COUNT(*) AS n FROM workOrder JOIN crew ON crew.id = workOrder.assignedTo",
        "four": "SELECT COUNT(*) AS n FROM workOrder WHERE status = 'finished'",
        "five": "SELECT SUM(paidAmount) AS n FROM invoice JOIN invoiceLine ON invoiceLine.invoiceId = invoice.id",
    }
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(f'{{"question": "{name}", "sql": "{sql}"}}' for name, sql in lines.items()))
    assert main(["database", "verified", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == ["two", "three", "four", "five"]
    assert "points at employee.id" in lines[1]
    assert "completed" in lines[2]
    assert "several times" in lines[3]
    assert lines[-1] == "1 of 5 statements are sound."
