"""Tables of text: lines for a terminal, HTML for a notebook.

A table is a list of rows of strings, the head first; the first column is aligned to the left, the
others to the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Printed(dict[str, Any]):
    """What a function printed, as a dict that a notebook does not print once more."""

    def _ipython_display_(self) -> None:
        """Show nothing."""


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, two spaces between the columns.

    >>> text_table([["game", "rate"], ["3×3", "12.5"]])
    ['game  rate', '3×3   12.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]


def html_table(title: str, rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table as HTML, with a title above and notes below."""
    from html import escape

    head, *body = rows
    lines = "".join(f"<tr>{_cells(row, 'td')}</tr>" for row in body)
    small = f"<small>{'<br>'.join(map(escape, notes))}</small>" if notes else ""
    return (
        f"<div><strong>{escape(title)}</strong><table><thead><tr>{_cells(head, 'th')}</tr></thead>"
        f"<tbody>{lines}</tbody></table>{small}</div>"
    )


def _cells(row: Sequence[str], tag: str) -> str:
    from html import escape

    sides = ["left", *["right"] * (len(row) - 1)]
    return "".join(
        f'<{tag} style="text-align: {side}">{escape(text)}</{tag}>'
        for side, text in zip(sides, row, strict=True)
    )
