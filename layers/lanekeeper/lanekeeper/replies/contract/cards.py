"""Card numbers in a reply, however their digits are set apart, and across its messages.

One on its own, or in its usual groups with one mark between them, is found wherever it stands. Groups that are set
apart more widely, by cells, lines, commas, are a card only where they are no piece of a longer series or table.
"""

import re
from typing import NamedTuple

from lanekeeper.replies.contract import digits as rules
from lanekeeper.replies.contract.breaks import MARK

_RULED = re.compile(r"[-:|\s]+")
# More than this between two numbers sets them apart, and after this much of a line it is known what it is.
_GAP_CHARS = 120
_ROW_CHARS = 400
# Of what has gone out, enough to see the row before. Of a number, enough to see that it is no card's.
_KEPT_CHARS = 800
_KEPT_DIGITS = 2 * rules.CARD_DIGITS.stop


class _Group(NamedTuple):
    start: int
    end: int
    digits: str
    gap: str  # what stands before it, in one form


class _Series(NamedTuple):
    """A card unless more numbers of its kind follow."""

    start: int
    end: int
    gaps: frozenset[str]
    digits: int


class _Row(NamedTuple):
    """A card unless the next row of its table holds other numbers."""

    start: int
    end: int


class Cards:
    """Holds a reply's text back where it may become a card number. ``found`` says that it did: nothing goes out then.

    Args:
        said: what has gone out before.
    """

    def __init__(self, said: str = "") -> None:
        self._text = ""
        self._groups: list[_Group] = []
        self._gap = ""
        self._closed = False
        self._series: _Series | None = None
        self._row: _Row | None = None
        self._card = -1
        self._released = 0
        if said:
            self.take(said)
            self._released = len(self._text)
            self._card = -1

    @property
    def found(self) -> bool:
        """Whether a card number came."""
        return self._card >= 0

    def take(self, text: str) -> str:
        """More of the reply; what of it goes out now."""
        if not self._groups and self._row is None and not rules.DIGIT.search(text):
            if len(self._text) > 2 * _KEPT_CHARS:
                self._text = self._text[-_KEPT_CHARS:]
            self._text += text
            self._released = len(self._text)
            return text
        begin, safe = len(self._text), self._released
        self._text += text
        for token in rules.tokens(self._text, begin):
            if token.is_digits:
                self._add_digits(token)
            else:
                self._add_gap(token.text)
            if self._row:
                self._look_below(token.end, final=False)
            if self.found:
                break
            safe = max(safe, self._undecided(token.end))
        return self._release(max(safe, self._card))

    def end(self) -> str:
        """The last that goes out once no more comes."""
        if not self.found:
            self._end_run()
        if not self.found and self._row:
            self._look_below(len(self._text), final=True)
        return self._release(self._card if self.found else len(self._text))

    def _release(self, end: int) -> str:
        # A break goes out with words behind it.
        before = self._text[self._released : end].rstrip()
        if before.endswith(MARK):
            end = self._released + len(before.removesuffix(MARK).rstrip())
        begin, self._released = self._released, max(self._released, end)
        return self._text[begin : self._released]

    def _add_digits(self, token: rules.Token) -> None:
        gap = rules.plain_gap(self._gap) if self._groups else ""
        if self._groups and not gap:
            last = self._groups[-1]
            self._groups[-1] = last._replace(end=token.end, digits=(last.digits + token.text)[:_KEPT_DIGITS])
        else:
            group = _Group(token.start, token.end, token.text[:_KEPT_DIGITS], gap)
            self._groups = [*self._groups[-rules.CARD_DIGITS.stop :], group]
            self._closed = False
        self._gap = ""

    def _add_gap(self, gap: str) -> None:
        if not self._groups:
            return
        self._gap += gap
        if len(self._gap) > _GAP_CHARS or rules.has_letters(self._gap):
            self._end_run()
        elif not self._closed and rules.plain_gap(self._gap):
            self._close()

    def _end_run(self) -> None:
        """Numbers are followed by something else."""
        if self._groups and not self._closed:
            self._close()
        if self._series and not self.found:
            self._end_series(self._series)
        self._groups, self._gap, self._series = [], "", None

    def _close(self) -> None:
        """A group of digits is whole: see what it is the end of."""
        self._closed = True
        last = self._groups[-1]
        series, self._series = self._series, None
        if series and not (len(last.digits) == series.digits and rules.goes_on(last.gap, series.gaps)):
            self._end_series(series)
            if self.found:
                return
        for first in range(len(self._groups) - 1, -1, -1):
            window = self._groups[first:]
            digits = "".join(group.digits for group in window)
            gaps = frozenset(group.gap for group in window[1:])
            if len(digits) >= rules.CARD_DIGITS.stop:
                return
            if rules.is_card(digits) and (MARK in gaps or rules.is_grouped([len(group.digits) for group in window])):
                self._consider(first, gaps)
                if self.found:
                    return

    def _consider(self, first: int, gaps: frozenset[str]) -> None:
        """What looks like a card is one, or may be one."""
        group = self._groups[first]
        wide = rules.wide(gaps)
        if MARK in gaps or not wide:
            self._find(group.start)
            return
        before = self._groups[first - 1] if first else None
        if len(wide) > 1 or (before and len(before.digits) == len(group.digits) and rules.goes_on(group.gap, gaps)):
            return
        last = self._groups[-1]
        self._series = _Series(group.start, last.end, gaps, len(last.digits))

    def _end_series(self, series: _Series) -> None:
        """No further number of its kind follows."""
        if not any("|" in gap and "\n" not in gap for gap in series.gaps):
            self._find(series.start)
        elif not rules.is_row_of_numbers(self._row_above(series.start)):
            self._row = self._row or _Row(series.start, series.end)

    def _row_above(self, start: int) -> str:
        lines = self._text[max(0, start - _KEPT_CHARS) : start].split("\n")[-2::-1]
        return next((line for line in lines if not _RULED.fullmatch(line)), "")

    def _look_below(self, end: int, *, final: bool) -> None:
        assert self._row is not None
        newline = self._text.find("\n", self._row.end, min(end, self._row.end + _ROW_CHARS))
        if newline < 0 and not final and end - self._row.end < _ROW_CHARS:
            return
        below = self._text[newline + 1 : min(end, newline + 1 + _ROW_CHARS)] if newline >= 0 else ""
        row, ended, _ = below.partition("\n")
        if newline >= 0 and not (ended or final or len(below) == _ROW_CHARS):
            return
        if not rules.is_row_of_numbers(row):
            self._find(self._row.start)
        self._row = None

    def _find(self, start: int) -> None:
        self._card = min(start, self._undecided(start))

    def _undecided(self, end: int) -> int:
        """Where up to ``end`` something begins that may yet become a card number; ``end`` if nowhere."""
        if not self._groups and self._row is None:
            return end
        starts = [one.start for one in (self._series, self._row) if one]
        live = (group.start for first, group in enumerate(self._groups) if self._is_begun(first))
        return min(*starts, next(live, end), end)

    def _is_begun(self, first: int) -> bool:
        """Whether the groups from one on are the beginning of a card number."""
        window = self._groups[first:]
        digits = "".join(group.digits for group in window)
        gaps = {group.gap for group in window[1:]}
        if not rules.begins_card(digits) or len(digits) >= rules.CARD_DIGITS.stop:
            return False
        if MARK in gaps or MARK in self._gap or (len(window) == 1 and not self._closed):
            return True
        lengths = [len(group.digits) for group in window]
        return len(rules.wide(gaps)) <= 1 and rules.begins_groups(lengths, whole=self._closed)
