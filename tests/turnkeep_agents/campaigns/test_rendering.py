"""The reply as a terminal and a chat window show it."""

from datetime import date

import pytest
from plain_warehouse import MAY, PlainWarehouse, request, run

from turnkeep_agents.campaigns.advice import Recommendation, recommend
from turnkeep_agents.campaigns.diagnosis import Diagnosis, diagnose
from turnkeep_agents.campaigns.findings import Finding, Issue, known_texts
from turnkeep_agents.campaigns.rendering import LABELS, render
from turnkeep_agents.campaigns.requests import SPECIALISTS
from turnkeep_agents.campaigns.specialists.team import failed, run_specialist
from turnkeep_agents.campaigns.validation import validate
from turnkeep_agents.campaigns.warehouse.sums import open_warehouses
from turnkeep.blocks.figures import foreign_figures
from turnkeep_agents.campaigns.settings import CampaignsSettings

ANALYSIS, QUESTION = request(intent="analysis"), request(intent="informational")
LOSS = Issue(code="roas_below_one", severity="high", subject="Shoes", text="Shoes lose £5.00.")
FALL = Issue(code="ctr_down", severity="medium", subject="Hats", text="Hats fell by 20.0 %.")
PERFORMANCE = Finding(specialist="performance_diagnosis", status="ok", text="Shoes cost £9.00.", issues=(LOSS, FALL))
BUDGET = Finding(specialist="budget_risk", status="ok", text="All budgets are even.", notes=("Two are shown.",))
PAUSE = Recommendation(priority="high", action="Pause Shoes.", reason=LOSS.text, expected_impact="£5.00 less.")


def test_the_answer_comes_first_then_what_is_wrong_then_what_to_do_then_what_limits_it() -> None:
    asked = request(intent="analysis", assumed=("May means May 2026.",))
    findings = [PERFORMANCE, BUDGET]
    assert render(asked, findings, diagnose(findings, asked), [PAUSE], remarks=["The message is short."]) == "\n".join([
        "**Performance**",
        "",
        "Shoes cost £9.00.",
        "",
        "**Budgets**",
        "",
        "All budgets are even.",
        "",
        "**Diagnosis, severity high**",
        "",
        "Two issues were found. The worst: Shoes lose £5.00.",
        "",
        "- Hats fell by 20.0 %. (medium)",
        "",
        "Causes:",
        "",
        "- Shoes earns less than it costs.",
        "- Hats is clicked less often than before.",
        "",
        "**Recommendations**",
        "",
        "1. **Pause Shoes.** (high) Shoes lose £5.00. Expected: £5.00 less.",
        "",
        "Assumed:",
        "",
        "- May means May 2026.",
        "",
        "Notes:",
        "",
        "- The message is short.",
        "- Two are shown.",
    ])  # fmt: skip


def test_a_plain_question_is_answered_and_nothing_else() -> None:
    finding = PERFORMANCE.model_copy(update={"issues": (FALL,)})
    assert render(QUESTION, [finding], diagnose([finding], QUESTION)) == "Shoes cost £9.00."


def test_beside_a_plain_answer_the_worst_is_told_where_it_is_grave() -> None:
    assert render(QUESTION, [PERFORMANCE], diagnose([PERFORMANCE], QUESTION)) == (
        "Shoes cost £9.00.\n\nAlso found: Shoes lose £5.00."
    )


def test_a_failed_specialist_is_reported_and_the_others_stand() -> None:
    findings = [failed("budget_risk", "It was too slow today."), PERFORMANCE]
    text = render(ANALYSIS, findings, diagnose(findings, ANALYSIS), [PAUSE])
    assert "budget_risk could not be run: It was too slow today." in text
    assert "Shoes cost £9.00." in text
    assert "**Performance**" not in text  # one answer needs no title


def test_no_data_is_said_and_not_diagnosed() -> None:
    finding = Finding(specialist="budget_risk", status="no_data", text="There is no data for May 2024.")
    assert render(ANALYSIS, [finding], diagnose([finding], ANALYSIS)) == "There is no data for May 2024."


def test_no_issue_is_said() -> None:
    text = render(ANALYSIS, [BUDGET], diagnose([BUDGET], ANALYSIS))
    assert text.startswith("All budgets are even.\n\nNo issue was found in budgets: all campaigns, May 2026.")


def test_what_two_findings_say_alike_is_shown_once() -> None:
    days = run(MAY)
    asked = request(metrics=("clicks",), by=("week",), intent="analysis")
    names = ("performance_diagnosis", "creative_inventory")
    findings = [run_specialist(name, asked, PlainWarehouse(days), currency="GBP", max_rows=500) for name in names]
    text = render(asked, findings, diagnose(findings, asked))
    assert text.count("Clicks by week") == 1
    assert text.count("are not whole") == 1
    assert "**Creatives**" not in text


def test_what_a_model_worded_is_shown_as_it_is() -> None:
    worded = Diagnosis(
        summary="Shoes bleed.", severity="high", root_causes=["A slow landing page."], correlations=["Both."]
    )
    text = render(ANALYSIS, [PERFORMANCE], worded, [PAUSE])
    assert "**Diagnosis, severity high**\n\nShoes bleed.\n\n- Hats fell by 20.0 %. (medium)" in text
    assert "Causes:\n\n- A slow landing page." in text
    assert "What goes together:\n\n- Both." in text


def test_advice_without_an_impact_ends_with_its_reason() -> None:
    plain = PAUSE.model_copy(update={"expected_impact": ""})
    assert render(ANALYSIS, [PERFORMANCE], diagnose([PERFORMANCE], ANALYSIS), [plain]).endswith(
        "(high) Shoes lose £5.00."
    )


def test_every_specialist_has_a_title() -> None:
    assert LABELS.keys() == set(SPECIALISTS)


@pytest.mark.parametrize("filters", [{}, {"advertiser": ("Quiz",)}, {"advertiser": ("Tidewater Audio",)}])
def test_every_number_of_a_reply_is_a_figure_and_no_table_is_long(filters: dict[str, tuple[str, ...]]) -> None:
    asked = request(intent="analysis", filters=filters)
    warehouse = open_warehouses(CampaignsSettings())(date(2026, 6, 17))
    findings = [run_specialist(name, asked, warehouse, currency="GBP", max_rows=500) for name in SPECIALISTS]
    diagnosis = diagnose(findings, asked)
    checked = validate(recommend(diagnosis, findings).recommendations, diagnosis, findings)
    text = render(asked, findings, diagnosis, checked.recommendations)
    assert foreign_figures(text, [*known_texts(findings), "May 2026"]) == []
    tables = [part.splitlines() for part in text.split("\n\n") if part.startswith("| ")]
    assert len(tables) >= 5
    assert max(map(len, tables)) <= 12
