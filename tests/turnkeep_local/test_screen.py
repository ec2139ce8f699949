"""What really stands on a terminal: each test reads it off an emulated one."""

import io

import pyte
import pytest

from turnkeep_local.screen import Answer, Screen

COLUMNS, LINES = 60, 24


class Terminal(io.StringIO):
    """A terminal that remembers each picture it showed."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = pyte.HistoryScreen(COLUMNS, LINES, history=1000, ratio=1)
        self._stream = pyte.Stream(self.screen)
        self.pictures: list[list[str]] = []

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._stream.feed(text.replace("\n", "\r\n"))
        self.pictures.append(self.lines())
        return super().write(text)

    def lines(self) -> list[str]:
        above = ["".join(line[at].data for at in range(COLUMNS)) for line in self.screen.history.top]
        found = [line.rstrip() for line in (*above, *self.screen.display)]
        while found and not found[-1]:
            found.pop()
        return found


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("LINES", str(LINES))
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


MARKDOWN = """Found **2** rows.

1. one
2. two

   more of two

| Invoice | Open |
| --- | ---: |
| INV-1 | 648.00 |

```sql
SELECT a

FROM b
```

The end.
"""
SHOWN = """Found 2 rows.

 1 one
 2 two
   more of two

 Invoice    Open
 ───────────────
 INV-1    648.00

 SELECT a

 FROM b

The end."""


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_markdown_is_laid_out_the_same_however_it_comes(terminal: Terminal, size: int) -> None:
    with Answer(Screen(terminal)) as answer:
        for at in range(0, len(MARKDOWN), size):
            answer.feed(MARKDOWN[at : at + size])
    assert "\n".join(line.strip("\n") for line in terminal.lines()) == SHOWN


def test_what_was_shown_stays_while_more_comes(terminal: Terminal) -> None:
    """No picture is without a block that an earlier one showed as settled: nothing flickers."""
    with Answer(Screen(terminal)) as answer:
        answer.feed("The first paragraph.\n\nThe second ")
        before = len(terminal.pictures)
        for number in range(20):
            answer.feed(f"goes on {number} ")
    assert len(terminal.pictures) > before
    assert all("The first paragraph." in picture for picture in terminal.pictures[before:])


def test_an_answer_longer_than_the_terminal_is_whole_in_the_end(terminal: Terminal) -> None:
    items = [f"- item {number}" for number in range(3 * LINES)]
    with Answer(Screen(terminal)) as answer:
        for item in items:
            answer.feed(f"{item}\n")
    assert [line.strip(" •") for line in terminal.lines()] == [item.strip("- ") for item in items]


def test_steps_share_one_line_which_is_gone_in_the_end(terminal: Terminal) -> None:
    with Answer(Screen(terminal)) as answer:
        for step in ("node: read", "tool start: search " + "x" * 200, "node: answer"):
            answer.step(step)
            (line,) = terminal.lines()
            assert line.startswith(f"  {step[:40]}")
        answer.feed("Done.")
        assert terminal.lines() == ["Done.", "", "  node: answer"]
    assert terminal.lines() == ["Done."]
    assert "\x1b[2m" in terminal.getvalue()


STEERING = "a\x1b]52;c;eA==\x07b\x9b2J\x1b[8m\u202ec"
READABLE = "a ]52;c;eA== b 2J [8mc"


def test_nothing_that_a_server_sends_steers_the_terminal(terminal: Terminal) -> None:
    screen = Screen(terminal)
    with Answer(screen) as answer:
        answer.step(STEERING)
        answer.feed(f"{STEERING}\n\n| {STEERING} |\n| --- |\n\n```\n{STEERING}\n```\n")
    screen.say(STEERING)
    screen.dim(f"{STEERING}\n> x")
    screen.code(STEERING, "sql")
    screen.rows([STEERING], [[STEERING]])
    screen.rows([STEERING] * 20, [[STEERING] * 20])
    for sequence in ("\x1b]", "\x07", "\x9b", "\x1b[8m", "\u202e"):
        assert sequence not in terminal.getvalue()
    assert sum(READABLE in line for line in terminal.lines()) >= 8
    assert not any(line.startswith("> x") for line in terminal.lines())


def test_markup_and_links_are_text(terminal: Terminal) -> None:
    with Answer(Screen(terminal)) as answer:
        answer.feed("[bold]x[/bold] :smile: [here](https://evil.example/a) ![pic](https://evil.example/b)")
    shown = " ".join(terminal.lines())
    assert "[bold]x[/bold] :smile: here (https://evil.example/a)" in shown
    assert "\x1b]8" not in terminal.getvalue()


@pytest.mark.parametrize("columns", [3, 30])
def test_rows_of_any_width_can_be_read(terminal: Terminal, columns: int) -> None:
    screen = Screen(terminal)
    screen.rows([f"c{at}" for at in range(columns)], [[f"value {at}" for at in range(columns)], [None] * columns])
    shown = "\n".join(terminal.lines())
    assert all(f"value {at}" in shown for at in range(columns))
    assert all(len(line) <= COLUMNS for line in terminal.lines())


def test_a_file_gets_the_text_as_it_was_written_without_control_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    out = io.StringIO()
    screen = Screen(out)
    with Answer(screen) as answer:
        answer.step("node: read")
        answer.feed(f"{MARKDOWN}{STEERING}")
    screen.code("SELECT a FROM b WHERE c = 'a long text that is not broken'", "sql")
    screen.dim("[1] A source with a long title  https://example.org/a/long/address")
    assert out.getvalue().startswith(f"{MARKDOWN}{READABLE}\n")
    assert out.getvalue().endswith("broken'\n  [1] A source with a long title https://example.org/a/long/address\n")
    assert not any(sign in out.getvalue() for sign in "\x1b\x07\x9b\r")
    assert "node: read" not in out.getvalue()


def test_an_answer_that_is_broken_off_keeps_what_was_shown(terminal: Terminal) -> None:
    def stopped() -> None:
        with Answer(Screen(terminal)) as answer:
            answer.step("node: answer")
            answer.feed("One block.\n\nHalf of the")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert terminal.lines() == ["One block.", "", "Half of the"]
    assert terminal.getvalue().rindex("\x1b[?25h") > terminal.getvalue().rindex("\x1b[?25l")  # the cursor is back
