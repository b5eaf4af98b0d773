"""Panels, variables and links in the house style: what is the same on every dashboard is said here once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models import common as looks
from grafana_foundation_sdk.models import dashboard as model

from grafana import queries

AnyPanel = Builder[model.Panel]
TimeSeries = timeseries.Panel
Table = table.Panel
P = TypeVar("P", timeseries.Panel, stat.Panel)

CLICKHOUSE: Final = model.DataSourceRef(type_val="grafana-clickhouse-datasource", uid="ragpulse-clickhouse")
PROMETHEUS: Final = model.DataSourceRef(type_val="prometheus", uid="ragpulse-prometheus")
TAG: Final = "ragpulse"
ON_TIME_RANGE: Final = model.VariableRefresh.ON_TIME_RANGE_CHANGED
NOTHING: Final = "nothing measured"

COLOURS: Final = {
    "system_error": "dark-red",
    "rewrite_failure": "purple",
    "empty_recall": "blue",
    "poor_retrieval": "light-blue",
    "over_refusal": "yellow",
    "hallucination": "red",
    "healthy": "green",
    "not measured": "gray",
}
"""One colour a failure class, the same everywhere."""


@dataclass(slots=True)
class Sql(Dataquery):
    """A query of the ClickHouse plugin. `series`: rows are points in time; else they are a table."""

    text: str
    series: bool = True
    ref_id: str = "A"

    def to_json(self) -> dict[str, Any]:
        """As the plugin stores it."""
        return {
            "refId": self.ref_id,
            "datasource": CLICKHOUSE.to_json(),
            "editorType": "sql",
            "queryType": "timeseries" if self.series else "table",
            "format": 0 if self.series else 1,
            "rawSql": self.text,
        }


class Ask(Builder[Dataquery]):
    """A query that is ready."""

    def __init__(self, query: Dataquery) -> None:
        self._query = query

    def build(self) -> Dataquery:
        """The query."""
        return self._query


def sql(text: str, *, series: bool = True, ref_id: str = "A") -> Ask:
    """Ask ClickHouse."""
    return Ask(Sql(text.strip(), series, ref_id))


def prom(expression: str, legend: str = "", ref_id: str = "A") -> prometheus.Dataquery:
    """Ask Prometheus."""
    query = prometheus.Dataquery().expr(expression).ref_id(ref_id).datasource(PROMETHEUS).range()
    return query.legend_format(legend) if legend else query


def chart(title: str, about: str, *asked: Builder[Dataquery], unit: str = "percentunit") -> timeseries.Panel:
    """Lines over time."""
    panel = (
        timeseries.Panel()
        .title(title)
        .description(about)
        .unit(unit)
        .line_width(2)
        .fill_opacity(0)
        .show_points(looks.VisibilityMode.AUTO)
        .span_nulls(False)
        .min(0)
        .no_value(NOTHING)
        .legend(
            common.VizLegendOptions()
            .display_mode(looks.LegendDisplayMode.LIST)
            .placement(looks.LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(
            common.VizTooltipOptions().mode(looks.TooltipDisplayMode.MULTI).sort(looks.SortOrder.DESCENDING)
        )
    )
    return with_targets(panel, asked)


def band(title: str, about: str, hits: str, of: str, name: str) -> timeseries.Panel:
    """A rate with its 95 % interval as a band around it."""
    return as_band(chart(title, f"{about} The band is a 95 % interval.", sql(queries.banded(hits, of, name))))


def as_band(panel: TimeSeries) -> TimeSeries:
    """Draw the series `low` and `high` as a band, and leave them out of the legend."""
    hidden = {"legend": True, "tooltip": False, "viz": False}
    edge = [_property("custom.lineWidth", 0), _property("custom.hideFrom", hidden)]
    filled = [_property("custom.fillBelowTo", "low"), _property("custom.fillOpacity", 15)]
    return panel.override_by_name("low", edge).override_by_name("high", [*edge, *filled])


def stacked(
    title: str, about: str, *asked: Builder[Dataquery], unit: str = "percentunit"
) -> timeseries.Panel:
    """Shares that add up, in the colours of the failure classes."""
    panel = (
        chart(title, about, *asked, unit=unit)
        .stacking(common.StackingConfig().mode(looks.StackingMode.NORMAL))
        .fill_opacity(60)
        .line_width(0)
    )
    for name, colour in COLOURS.items():
        panel = panel.override_by_name(name, [_property("color", {"mode": "fixed", "fixedColor": colour})])
    return panel


def number(title: str, about: str, *asked: Builder[Dataquery], unit: str = "percentunit") -> stat.Panel:
    """One number, as it stands over the time shown."""
    panel = (
        stat.Panel()
        .title(title)
        .description(about)
        .unit(unit)
        .no_value(NOTHING)
        .graph_mode(looks.BigValueGraphMode.NONE)
        .color_mode(looks.BigValueColorMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
    )
    return with_targets(panel, asked)


def rows(title: str, about: str, text: str) -> table.Panel:
    """A table out of ClickHouse."""
    panel = table.Panel().title(title).description(about).no_value(NOTHING).datasource(CLICKHOUSE)
    return panel.with_target(sql(text, series=False))


def as_heat(panel: table.Panel, columns: Sequence[str], *, bad: float) -> table.Panel:
    """Colour columns of shares, from 0 (green) to `bad` and more (red)."""
    steps = [
        {"value": None, "color": "green"},
        {"value": bad / 2, "color": "yellow"},
        {"value": bad, "color": "red"},
    ]
    for column in columns:
        panel = panel.override_by_name(
            column,
            [
                _property("unit", "percentunit"),
                _property("custom.cellOptions", {"type": "color-background", "mode": "basic"}),
                _property("thresholds", {"mode": "absolute", "steps": steps}),
                _property("color", {"mode": "thresholds"}),
            ],
        )
    return panel


def as_shares(panel: table.Panel, columns: Sequence[str]) -> table.Panel:
    """Show columns as per cent."""
    for column in columns:
        panel = panel.override_by_name(column, [_property("unit", "percentunit"), _property("decimals", 1)])
    return panel


def link_column(panel: table.Panel, column: str, title: str, url: str) -> table.Panel:
    """Make the values of a column links."""
    return panel.override_by_name(
        column, [_property("links", [{"title": title, "url": url, "targetBlank": False}])]
    )


def link_to_case(panel: table.Panel, column: str) -> table.Panel:
    """Make trace ids links to the console's page of the case."""
    return link_column(panel, column, "open the case", "${console}/case/${__value.raw:percentencode}")


def with_targets(panel: P, asked: Sequence[Builder[Dataquery]]) -> P:
    """The panel with what it asks, and the data source that the first of it names."""
    source = CLICKHOUSE if isinstance(asked[0], Ask) else PROMETHEUS
    panel = panel.datasource(source)
    for query in asked:
        panel = panel.with_target(query)
    return panel


def variable(name: str, label: str) -> dashboard.QueryVariable:
    """A variable over the values that a column had in the time shown."""
    text = f"SELECT DISTINCT {name} FROM {queries.RATES} ORDER BY {name} LIMIT 500"
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .datasource(CLICKHOUSE)
        .query(text)
        .refresh(ON_TIME_RANGE)
        .multi(True)
        .include_all(True)
        .current(model.VariableOption(text="All", value="$__all"))
    )


def label_of(column: str) -> str:
    """What people call a column: its own name, and for parts of a release the part."""
    if column == "release_app":
        return "app version"
    return column.removeprefix("release_").replace("_", " ")


def option(value: str) -> model.VariableOption:
    """A value that a variable has at first."""
    return model.VariableOption(text=value, value=value)


def console_address() -> dashboard.TextBoxVariable:
    """Where the console is, for links to its pages of cases."""
    return (
        dashboard.TextBoxVariable("console")
        .label("console")
        .default_value("http://127.0.0.1:8400")
        .hide(model.VariableHide.HIDE_VARIABLE)
    )


def marks(name: str, text: str, colour: str) -> dashboard.AnnotationQuery:
    """Vertical lines out of ClickHouse: columns time, title, text, tags."""
    return (
        dashboard.AnnotationQuery()
        .name(name)
        .datasource(CLICKHOUSE)
        .enable(True)
        .icon_color(colour)
        .target(_Target(text))
    )


class _Target(Builder[Any]):
    """What an annotation asks: a query as panels have it, which the SDK's own type has no room for."""

    def __init__(self, text: str) -> None:
        self._text = text.strip()

    def build(self) -> Any:
        """The query, with the fields that Grafana expects of every annotation's target."""
        return {
            **Sql(self._text, series=False).to_json(),
            "type": "rows",
            "limit": 200,
            "matchAny": False,
            "tags": [],
        }


def board(
    uid: str, title: str, about: str, *, names: Sequence[str] = queries.SEGMENTS, since: str = "now-6h"
) -> dashboard.Dashboard:
    """An empty dashboard with the variables, links and marks that all of them have."""
    made = (
        dashboard.Dashboard(title)
        .uid(uid)
        .description(about)
        .tags([TAG])
        .readonly()
        .time(since, "now")
        .refresh("30s")
        .timezone("browser")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .link(
            dashboard.DashboardLink("ragpulse")
            .type(model.DashboardLinkType.DASHBOARDS)
            .tags([TAG])
            .as_dropdown(True)
            .include_vars(True)
            .keep_time(True)
        )
    )
    for name in names:
        made = made.with_variable(variable(name, label_of(name)))
    if names:
        made = made.annotation(marks("releases", RELEASES_TEXT, "blue")).annotation(
            marks("incidents", INCIDENTS_TEXT, "red")
        )
    return made


RELEASES_TEXT: Final = """
SELECT at AS time, concat(part, ' ', value) AS title, note AS text, [part, source] AS tags
FROM release_marks FINAL
WHERE $__timeFilter(at) AND $__conditionalAll(app IN (${app:singlequote}), $app)
ORDER BY at LIMIT 200"""
INCIDENTS_TEXT: Final = """
SELECT onset AS time, concat(measure, ' ', segment) AS title, summary AS text, [severity, status] AS tags
FROM incidents FINAL
WHERE $__timeFilter(onset) AND status != 'absorbed'
    AND (app = '' OR $__conditionalAll(app IN (${app:singlequote}), $app))
ORDER BY onset LIMIT 200"""


def _property(name: str, value: object) -> model.DynamicConfigValue:
    return model.DynamicConfigValue(id_val=name, value=value)
