"""Settings from the environment."""

import pytest

from turnkeep.settings import UnusableSetting
from turnkeep_agents.database.settings import DatabaseSettings


def test_an_empty_variable_is_unset() -> None:
    found = DatabaseSettings.read({"DATABASE__MAX_ROWS": "8", "DATABASE__MAX_HOPS": "2", "DATABASE__URL": ""})
    assert (found.max_rows, found.max_hops, found.url.get_secret_value()) == (8, 2, "")


@pytest.mark.parametrize(
    ("environ", "fault"),
    [
        ({"DATABASE__MAX_ROWS": "many"}, "^DATABASE__MAX_ROWS: "),
        ({"DATABASE__MAX_ROW": "7"}, "^DATABASE__MAX_ROW: Extra inputs"),
    ],
)
def test_a_fault_is_reported_by_the_name_of_its_variable(environ: dict[str, str], fault: str) -> None:
    with pytest.raises(UnusableSetting, match=fault):
        DatabaseSettings.read(environ)
