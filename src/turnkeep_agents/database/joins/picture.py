"""A join graph as one SVG picture. Small graphs show their columns; in large ones only names. Links that say who made a
row, and those into tables that nearly everything points at, are drawn pale: they would hide all others."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from html import escape

from turnkeep_agents.database.joins.costs import is_audit_link
from turnkeep_agents.database.joins.layout import Box, Link, lay_out
from turnkeep_agents.database.joins.links import is_sound
from turnkeep_agents.database.joins.records import JoinGraph, Relationship, Table
from turnkeep_agents.database.joins.validation import edge_of

LETTER = 8.0
"""Pixels that a letter takes."""
LINE = 16.0
MARGIN = 40.0
DETAILED_TABLES = 25
SHOWN_COLUMNS = 10

PALE_STRENGTH = 0.05
APART = 18.0
"""Pixels by which links between the same two tables bend apart, and clear a table that is none of theirs."""
NEAR_AN_END = 0.12
"""Nearer than this a link makes no wider bend for a table: it would leave the picture."""

STYLE = """
svg.joins { font: 12px ui-sans-serif, system-ui, sans-serif; background: #fff }
.joins .link { stroke: #4a6fa5; stroke-width: 1.3; fill: none }
.joins .inferred { stroke-dasharray: 5 4 } .joins .association { stroke: #3c8d5a } .joins .manual { stroke: #b5651d }
.joins .pale { stroke: #b9bfc9; stroke-width: .6 }
.joins .table rect { fill: #f4f7fb; stroke: #4a6fa5 } .joins .table .name { font-weight: 600 }
.joins .hub rect { fill: #fff3d6; stroke: #b5891d } .joins text { fill: #1c2733 } .joins .column { fill: #51606f }
.joins .label { font-size: 10px; fill: #51606f; paint-order: stroke; stroke: #fff; stroke-width: 3px }
.joins.chosen .table, .joins.chosen .link, .joins.chosen .label { opacity: .08 }
.joins.chosen .near { opacity: 1 } .joins.chosen .link.near { stroke-width: 2; stroke: #c2410c }
"""

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ margin: 0; font: 14px ui-sans-serif, system-ui, sans-serif; color: #1c2733 }}
header {{ position: fixed; padding: 8px 12px; background: #ffffffe6; border-bottom: 1px solid #d8dee6; width: 100% }}
svg.joins {{ width: 100vw; height: 100vh; cursor: grab }}
.table {{ cursor: pointer }}
</style>
<header><b>{title}</b> <input id="find" placeholder="table" aria-label="table">
<small>wheel zooms, dragging moves, a click shows what a table is joined to; dashed: inferred; pale: who made a row, and
links into hubs</small></header>
{svg}
<script>
const svg = document.querySelector("svg.joins"), box = svg.viewBox.baseVal, find = document.getElementById("find");
const choose = names => {{
  svg.classList.toggle("chosen", names.size > 0);
  const links = [...svg.querySelectorAll("[data-from]")], near = new Set(names);
  for (const link of links) {{
    const {{from, to}} = link.dataset, hit = names.has(from) || names.has(to);
    link.classList.toggle("near", hit);
    if (hit) near.add(from).add(to);
  }}
  for (const table of svg.querySelectorAll(".table")) table.classList.toggle("near", near.has(table.dataset.name));
}};
svg.addEventListener("click", event => {{
  const table = event.target.closest(".table");
  choose(new Set(table ? [table.dataset.name] : []));
}});
find.addEventListener("input", () => {{
  const said = find.value.trim().toLowerCase(), tables = [...svg.querySelectorAll(".table")];
  choose(new Set(said ? tables.map(t => t.dataset.name).filter(name => name.toLowerCase().includes(said)) : []));
}});
svg.addEventListener("wheel", event => {{
  event.preventDefault();
  const scale = event.deltaY > 0 ? 1.15 : 1 / 1.15, x = event.offsetX / svg.clientWidth,
    y = event.offsetY / svg.clientHeight;
  box.x += box.width * (1 - scale) * x; box.y += box.height * (1 - scale) * y;
  box.width *= scale; box.height *= scale;
}}, {{passive: false}});
let held = null;
svg.addEventListener("pointerdown", event => held = [event.clientX, event.clientY]);
addEventListener("pointerup", () => held = null);
svg.addEventListener("pointermove", event => {{
  if (!held) return;
  const scale = Math.max(box.width / svg.clientWidth, box.height / svg.clientHeight);
  box.x -= (event.clientX - held[0]) * scale; box.y -= (event.clientY - held[1]) * scale;
  held = [event.clientX, event.clientY];
}});
</script></html>
"""


def svg(graph: JoinGraph, hubs: Collection[str] = ()) -> str:
    """The picture as text; `hubs` are the tables that nearly everything points at."""
    links = [link for link in graph.relationships if is_sound(graph, link)]
    is_detailed = len(graph.tables) <= DETAILED_TABLES
    lines = {table.name: _lines(table, links if is_detailed else ()) for table in graph.tables.values()}
    sizes = {name: (max(map(len, shown)) * LETTER + 16, len(shown) * LINE + 8) for name, shown in lines.items()}
    pulls = [Link(link.from_table, link.to_table, PALE_STRENGTH if _is_pale(link, hubs) else 1.0) for link in links]
    boxes = lay_out(sizes, pulls)
    drawn = [*_drawn_links(links, boxes, hubs, is_detailed), *_drawn_tables(graph, boxes, lines, hubs)]
    return f"{_opening(boxes.values())}\n<style>{STYLE}</style>\n{'\n'.join(drawn)}\n</svg>"


def _lines(table: Table, links: Iterable[Relationship]) -> list[str]:
    """The name of the table, and of its columns those that tell rows apart or join."""
    joining = {a for link in links if link.from_table == table.name for a, _ in link.pairs}
    joining |= {b for link in links if link.to_table == table.name for _, b in link.pairs}
    shown = [name for name in table.columns if name in joining or name in table.primary_key] if joining else []
    more = [f"+ {len(shown) - SHOWN_COLUMNS} more"] if len(shown) > SHOWN_COLUMNS else []
    return [table.name, *shown[:SHOWN_COLUMNS], *more]


def _is_pale(link: Relationship, hubs: Collection[str]) -> bool:
    return is_audit_link(link) or link.to_table in hubs


def _opening(boxes: Iterable[Box]) -> str:
    known = list(boxes) or [Box(0, 0, 0, 0)]
    left = min(box.x - box.width / 2 for box in known) - MARGIN
    top = min(box.y - box.height / 2 for box in known) - MARGIN
    width = max(box.x + box.width / 2 for box in known) + MARGIN - left
    height = max(box.y + box.height / 2 for box in known) + MARGIN - top
    view = f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"
    return (
        f'<svg class="joins" xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width:.0f}" '
        f'height="{height:.0f}">'
    )


def _drawn_links(
    links: Iterable[Relationship], boxes: Mapping[str, Box], hubs: Collection[str], is_detailed: bool
) -> Iterator[str]:
    """Pale ones first, so that the others lie over them. Links between the same tables are bent apart."""
    seen: dict[frozenset[str], int] = {}
    for link in sorted(links, key=lambda link: not _is_pale(link, hubs)):
        one, other = boxes[link.from_table], boxes[link.to_table]
        ends = frozenset({link.from_table, link.to_table})
        place = seen[ends] = seen.get(ends, -1) + 1
        around, apart = detour(one, other, boxes.values()), (place + 1) // 2 * (1 if place % 2 else -1) * APART
        middle = _middle(one, other, around + apart)
        data = f'data-from="{escape(link.from_table)}" data-to="{escape(link.to_table)}"'
        style = "pale" if _is_pale(link, hubs) else ""
        yield (
            f'<path class="link {link.type} {style}" {data} d="{_curve(one, other, middle)}">'
            f"<title>{escape(_told(link))}</title></path>"
        )
        if is_detailed and not style and len(ends) > 1:
            x, y = _middle(one, other, around / 2 + apart)
            at = f'x="{x:.0f}" y="{y:.0f}"'
            yield f'<text class="label" text-anchor="middle" {data} {at}>{escape(link.role or link.from_column)}</text>'


def detour(one: Box, other: Box, boxes: Iterable[Box]) -> float:
    """The bend around the tables between two of one row or column: a straight link would seem to join those."""
    if one.x == other.x:
        between = [
            (abs(box.y - one.y), box.width) for box in boxes if box.x == one.x and _is_inside(one.y, box.y, other.y)
        ]
    elif one.y == other.y:
        between = [
            (abs(box.x - one.x), box.height) for box in boxes if box.y == one.y and _is_inside(one.x, box.x, other.x)
        ]
    else:
        return 0
    length = math.dist((one.x, one.y), (other.x, other.y))
    shares = ((way / length, size / 2 + APART) for way, size in between)
    return max((needed / (2 * max(share * (1 - share), NEAR_AN_END)) for share, needed in shares), default=0)


def _is_inside(one: float, place: float, other: float) -> bool:
    return min(one, other) < place < max(one, other)


def _middle(one: Box, other: Box, bend: float) -> tuple[float, float]:
    """The point that draws the link aside: twice as far as the link comes."""
    dx, dy = other.x - one.x, other.y - one.y
    length = math.hypot(dx, dy) or 1
    return (one.x + other.x) / 2 - dy / length * bend, (one.y + other.y) / 2 + dx / length * bend


def _curve(one: Box, other: Box, middle: tuple[float, float]) -> str:
    if one is other:
        x, y = one.x + one.width / 2, one.y
        return f"M {x:.0f} {y - 6:.0f} c 30 -14 30 26 0 12"
    return f"M {one.x:.0f} {one.y:.0f} Q {middle[0]:.0f} {middle[1]:.0f} {other.x:.0f} {other.y:.0f}"


def _told(link: Relationship) -> str:
    role = f", {link.role}" if link.role else ""
    return f"{edge_of(link)} ({link.cardinality}, {link.type}, confidence {link.confidence:.2f}{role})"


def _drawn_tables(
    graph: JoinGraph, boxes: Mapping[str, Box], lines: Mapping[str, list[str]], hubs: Collection[str]
) -> Iterator[str]:
    for name, box in boxes.items():
        left, top = box.x - box.width / 2, box.y - box.height / 2
        comment = graph.tables[name].comment
        yield f'<g class="table {"hub" if name in hubs else ""}" data-name="{escape(name)}">'
        yield f"<title>{escape(comment or name)}</title>"
        yield (
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="4"/>'
            f'<text class="name" x="{left + 8:.0f}" y="{top + LINE:.0f}">{escape(name)}</text>'
        )
        for place, column in enumerate(lines[name][1:], 2):
            yield f'<text class="column" x="{left + 8:.0f}" y="{top + LINE * place:.0f}">{escape(column)}</text>'
        yield "</g>"
