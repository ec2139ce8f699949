"""Access rules, and the file that contains them."""

import json
from pathlib import Path
from typing import Any

import pytest

from turnkeep.records import Principal
from turnkeep.settings import UnusableFile
from turnkeep_agents.database.access import Access, Rule, SecureView, load_access

ANN, BOB = Principal("acme", "ann"), Principal("rival", "bob")
TABLES = ("crew", "employee", "payrollRun", "payrollLine")


def written(path: Path, content: Any) -> Path:
    file = path / "access.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_the_first_matching_rule_counts() -> None:
    access = Access(rules=(Rule(tenant="acme", tables=("crew", "pay*"), without=("payrollLine",)), Rule(user="bob")))
    assert access.allowed(ANN, TABLES) == {"crew", "payrollRun"}
    assert access.allowed(BOB, TABLES) == set(TABLES)
    assert access.allowed(Principal("rival", "eve"), TABLES) == frozenset()


def test_a_file_gives_views_and_rules(tmp_path: Path) -> None:
    view = {"table": "employee", "view": "secure_employee", "company_column": "companyId", "encrypted": ["firstName"]}
    rule = {"tenant": "acme", "user": "a*", "tables": ["*"], "without": ["payroll*"]}
    access = load_access(written(tmp_path, {"views": [view], "rules": [rule, {}]}))
    assert access.views == (SecureView("employee", "secure_employee", "companyId", ("firstName",)),)
    assert access.rules == (Rule("acme", "a*", ("*",), ("payroll*",)), Rule())
    assert access.view_of == {"employee": "secure_employee"}
    plain = load_access(written(tmp_path, {"views": {"employee": "secure_employee"}}))
    assert plain == Access(views=(SecureView("employee", "secure_employee"),))


def test_no_rules_allow_everything_and_an_empty_list_nothing(tmp_path: Path) -> None:
    assert load_access(written(tmp_path, {})).allowed(ANN, TABLES) == set(TABLES)
    assert load_access(written(tmp_path, {"rules": []})).allowed(ANN, TABLES) == frozenset()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"views": [{"table": "employee"}]}, "views[0].view: add it"),
        ({"views": [{"table": "employee", "view": ""}]}, "views[0].view: write a name that is not empty"),
        ({"rules": [{}, {"tenat": "acme"}]}, "rules[1].tenat: no such field is known"),
        ({"rules": [{"tables": [7]}]}, "rules[0].tables[0]: write a text"),
        ({"rules": ["acme"]}, "rules[0]: write an object"),
        ([], "as a whole: write an object"),
        ({"views": {"employee": 7}}, "views[0].view: write a text"),
        ({"views": [{"table": "a", "view": "v"}, {"table": "a", "view": "w"}]}, "views[1].table: 'a' is also that of"),
        ('{"views":\n  oops}', "not valid JSON: Expecting value at line 2, column 3"),
        ("[" * 100_000, "nested too deeply"),
        ('{"views": [], "views": []}', "'views' is given twice"),
    ],
)
def test_an_unusable_file_is_refused_with_place_and_remedy(tmp_path: Path, content: Any, reason: str) -> None:
    file = written(tmp_path, content)
    with pytest.raises(UnusableFile) as refused:
        load_access(file)
    assert str(refused.value).startswith(str(file))
    assert reason in str(refused.value)


def test_a_table_that_is_its_own_view_is_read_directly(tmp_path: Path) -> None:
    itself = {"table": "crew", "view": "crew"}
    assert load_access(written(tmp_path, {"views": [itself]})).views == ()
    for more in ({"company_column": "companyId"}, {"encrypted": ["name"]}):
        with pytest.raises(UnusableFile, match=r"views\[0\]\.view: 'crew' is the table"):
            load_access(written(tmp_path, {"views": [itself | more]}))
