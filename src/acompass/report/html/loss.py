"""What the quasi-identifiers have lost, by column, and the levels by which it is measured."""

from fractions import Fraction

from acompass.measures import ColumnLoss, Loss
from acompass.report.html.charts import share_bar
from acompass.report.html.elements import Html, about, row, section, table
from acompass.report.html.measures import percent


def loss_section(loss: Loss, internal: bool) -> Html:
    introduction = about(
        "A label loses more, the more values it stands for: an unchanged column has lost 0 %, a suppressed "
        "one 100 %. Records that were rejected count as suppressed. This is the loss that ARX defines."
    )
    rows = [_row(each, internal) for each in loss.columns]
    data = table("Loss by column", ("column", "lost", "measured by", "share"), rows, class_="bars")
    return section("Information lost", "loss", introduction, data)


def _row(column: ColumnLoss, internal: bool) -> Html:
    """Proposed levels depend on the values before, so a receiver does not read them."""
    lost = Fraction(column.loss)
    levels = column.levels if internal or not column.proposed else "levels that its values propose"
    return row(column.column, percent(lost), levels, share_bar(lost, Fraction(1), "after"))
