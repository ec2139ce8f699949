"""Who may read what of the sample: everybody the rows of the own company, through secure views; nobody the keys."""

from turnkeep_agents.database.access import Access, Rule, SecureView
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.sample.tables.columns import COMPANY_COLUMN, secrets_of

CANARY_TENANT = "brightwater"
"""The tenant of the second company; every other one sees the first."""
SAMPLE_KEY = "the sample is no secret"
"""With which the encrypted columns are encrypted. Nothing in the sample is worth hiding."""
KEY_TABLES = ("apiKey", "userCredential")


def _views() -> tuple[SecureView, ...]:
    """Of every table with companies' rows, `company` itself included."""
    owned = [
        SecureView(table.name, f"secure_{table.name.lower()}", COMPANY_COLUMN, secrets_of(table))
        for table in metadata.tables.values()
        if COMPANY_COLUMN in table.columns
    ]
    return (*owned, SecureView("company", "secure_company", "id"))


SAMPLE_ACCESS = Access(_views(), (Rule(without=KEY_TABLES),))
