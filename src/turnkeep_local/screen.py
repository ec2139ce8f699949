"""A terminal as the chat writes on it: an answer as Markdown while it comes, its steps in one line that is rewritten,
rows as a table. What a server sends is text: no control character of it, no markup of rich, no link that hides where it
leads. Where the output is no terminal it is the reply as it was written, without steps or styles."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from types import TracebackType
from typing import Any, TextIO

from markdown_it import MarkdownIt
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.rule import Rule
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from turnkeep.texts import printable

CODE = "ansi_dark"  # the terminal's own colours
FILE_COLUMNS = 120
NARROW_COLUMNS = 8
"""A table whose columns would be narrower than this is written as records."""

_BLOCKS = MarkdownIt().enable("table")


class Screen:
    def __init__(self, out: TextIO) -> None:
        # Whatever COLUMNS or FORCE_COLOR say: what is no terminal gets no control codes.
        width = None if out.isatty() else FILE_COLUMNS
        self.console = Console(
            file=out, force_terminal=out.isatty(), width=width, markup=False, emoji=False, highlight=False
        )

    @property
    def page(self) -> int:
        """Rows of a table that are seen at once; in a file all are."""
        return max(5, self.console.height - 8) if self.console.is_terminal else 10_000

    def say(self, text: str, style: str = "", *, as_it_is: bool = False) -> None:
        """By words, or as one line that the terminal breaks itself and can find an address in."""
        self.console.print(Text(printable(text), style), soft_wrap=as_it_is or not self.console.is_terminal)

    def dim(self, text: str) -> None:
        """One line, whatever the text holds."""
        self.say(f"  {' '.join(text.split())}", "dim", as_it_is=True)

    def code(self, text: str, language: str) -> None:
        whole = printable(text)
        styled = Syntax(whole, language, theme=CODE, word_wrap=True, background_color="default")
        self.console.print(styled if self.console.is_terminal else Text(whole), soft_wrap=not self.console.is_terminal)

    def rows(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """A table, or where that would be too narrow to read, "name: value" lines."""
        if self.console.width < len(columns) * NARROW_COLUMNS:
            for row in rows:
                self.console.print(Rule(style="dim"))
                for name, cell in zip(columns, row, strict=False):
                    self.say(f"{name}: {_shown(cell)}")
            return
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for at, name in enumerate(columns):
            is_number = all(isinstance(row[at], int | float | None) for row in rows)
            table.add_column(Text(printable(name)), justify="right" if is_number else "left", overflow="fold")
        for row in rows:
            table.add_row(*(Text(_shown(cell)) for cell in row))
        self.console.print(table)


def _shown(cell: Any) -> str:
    return "" if cell is None else printable(str(cell))


class Answer:
    """One answer on its way: `with` it steps and pieces are shown. A block of Markdown stays where it is as soon as
    another begins; the one under way is drawn anew."""

    def __init__(self, screen: Screen) -> None:
        self._console = screen.console
        # Drawn when something comes: a thread of its own that draws would write in between.
        self._live = Live(self, console=self._console, auto_refresh=False, transient=True, redirect_stderr=False)
        self._step = ""
        self._text = ""  # all that was shown
        self._settled = 0  # characters of it that stay where they are
        self._again: str | None = None

    def __enter__(self) -> "Answer":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._step = ""
        rest, self._settled = self._text[self._settled :], len(self._text)
        self._live.stop()
        if self._console.is_terminal:
            for block in _blocks(rest):
                self._print(block)
        elif self._text:
            self._console.file.write("\n")
            self._console.file.flush()

    def step(self, text: str) -> None:
        self._step = " ".join(printable(text).split())
        self._live.refresh()

    def begin_again(self) -> None:
        """The same answer comes once more, from its beginning: what was shown of it is not shown twice."""
        self._again = ""

    def feed(self, piece: str) -> None:
        piece = printable(piece)
        if self._again is not None:
            self._again += piece
            if self._text.startswith(self._again):
                return
            known, piece, self._again = self._text, self._again, None
            piece = piece.removeprefix(known) if piece.startswith(known) else f"\n\n---\n\n{piece}"
        self._text += piece
        if not self._console.is_terminal:
            self._console.file.write(piece)
            self._console.file.flush()
            return
        for block in _blocks(self._text[self._settled :])[:-1]:
            self._settled += len(block)
            self._print(block)
        self._live.refresh()

    def finish(self, reply: str) -> None:
        """What of the whole reply has not come in pieces."""
        whole, self._again = printable(reply), None
        if whole.startswith(self._text):
            self.feed(whole.removeprefix(self._text))

    def _print(self, block: str) -> None:
        if block.strip():
            self._console.print(_Block(block), Text())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The end of what is under way, as much as the terminal holds, and the step."""
        tail = self._text[self._settled :]
        if tail.strip():
            yield _Block(tail, most_lines=max(1, console.height - 3))
            yield Text()
        if self._step:
            yield Text(f"  {self._step}", "dim", no_wrap=True, overflow="ellipsis")


@dataclass
class _Block:
    """Markdown without the blank lines around it; an address is written out beside the words of its link."""

    text: str
    most_lines: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(Markdown(self.text, code_theme=CODE, hyperlinks=False), options, pad=False)
        filled = [at for at, line in enumerate(lines) if any(segment.text.strip() for segment in line)]
        kept = lines[filled[0] : filled[-1] + 1] if filled else []
        for line in kept[-self.most_lines :] if self.most_lines else kept:
            yield from line
            yield Segment.line()


def _blocks(text: str) -> list[str]:
    """Its blocks of Markdown, of which the last may still grow: "One.\\n\\n- two" has two."""
    lines = list(StringIO(text))  # as the parser counts them: by line feeds alone
    tokens = [token for token in _BLOCKS.parse(text) if token.level == 0 and token.map and token.nesting >= 0]
    starts = [0, *(token.map[0] for token in tokens[1:] if token.map), len(lines)]
    return ["".join(lines[start:end]) for start, end in pairwise(starts)]
