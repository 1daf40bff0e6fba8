"""Money in a tool's arguments and results: whole minor units and a currency, and the one line that says it (O3, E2)."""

from typing import Annotated

from pydantic import Field

from lanekeeper.tools.facts import Fact
from lanekeeper.tools.tool import ToolOutput

# ISO 4217: currencies whose minor unit is not a hundredth, by the digits after the point.
_DIGITS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
DIGITS = {currency: digits for digits, currencies in _DIGITS.items() for currency in currencies.split()}


class Money(ToolOutput):
    """An amount. Never a float: 12.50 EUR is 1250 of its minor units."""

    minor_units: Annotated[int, Field(ge=-(10**15), le=10**15)]
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]

    @property
    def text(self) -> str:
        """As a reply says it: ``12.50 EUR``, ``1200 JPY``."""
        digits = DIGITS.get(self.currency, 2)
        sign, units = "-" if self.minor_units < 0 else "", abs(self.minor_units)
        whole, rest = divmod(units, 10**digits)
        return f"{sign}{whole}{f'.{rest:0{digits}}' if digits else ''} {self.currency}"

    @property
    def fact(self) -> Fact:
        """The line as a fact of the result."""
        return Fact("money", self.text)
