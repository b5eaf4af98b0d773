"""Walk-through 3: what people say in the console changes the scorer, and what is known of the judges.

A parcel service has a house style that the shipped scorer has never seen: most answers end with advice that
stands in no document, and that nobody minds. It takes that for made up, and misses the point: now and then a
gate or a number of days is wrong. Two judges have looked: one is mostly right, one guesses. The filler puts
cases into the queue. Two *simulated* annotators, who know the truth, claim and
label them over the console's HTTP API. Then `ragpulse distill` makes a better scorer of their labels, and
`ragpulse calibrate` says which judge to trust.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from judges.calibration.labels import JudgeKey
from judges.distilled import load_scorer
from judges.registry import Registry, State
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace
from sinks.annotation import LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.annotation.filler import Filler
from stream.calibrate.stored import calibrated_judges
from stream.cli import app
from stream.settings import AnnotationSettings
from tests.support.console import HOST, bearer, open_console
from tests.walkthroughs.test_02_distill import Asked, examine, store_traces

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]

NOW = datetime.now(UTC)
TAUGHT, LATER = 200, 300
MADE_UP = Failure.HALLUCINATION.value
BAD, STYLED = 0.45, 0.8
PEOPLE = ("anna", "ben")
KEEN, CARELESS = (
    JudgeKey("keen", "m-1", "faithfulness", "1"),
    JudgeKey("careless", "m-1", "faithfulness", "1"),
)
ADVICE = {
    "en": (
        "Have your receipt with you, since colleagues at the desk will ask for it.",
        "Plan some extra time on the day before a public holiday.",
        "Whoever collects it for you needs a signed note.",
        "Our desk is happy to help you carry heavy items.",
    ),
    "zh": (
        "请带好小票，柜台同事会核对。",
        "节假日前一天请多预留一些时间。",
        "请他人代取时需要带上签字的便条。",
        "较重的物品可以请柜台同事帮忙搬运。",
    ),
}
"""The house style."""
THINGS = {
    "en": (
        "lamp tent kettle piano saddle mirror carpet ladder violin printer fridge bicycle stroller drill vase"
        " sofa canoe freezer hammock globe scooter easel telescope wardrobe trumpet aquarium heater puzzle"
    ).split(),
    "zh": (
        "台灯 帐篷 水壶 钢琴 马鞍 镜子 地毯 梯子 提琴 打印机 冰箱 单车 童车 电钻 花瓶 沙发 皮艇 冰柜 吊床"
        " 地球仪 滑板车 画架 望远镜 衣柜 小号 鱼缸 暖风机 拼图"
    ).split(),
}
REMARKS = {
    "en": (
        "I work until six.", "Nobody answered the bell!", "The sender is a museum in Lisbon.",
        "Rain is forecast.",
        "It should be a surprise for my sister.", "Last year yours was lost, remember?", "I come by tram.",
        "My van is in the garage until Tuesday.", "We are abroad in May.",
        "The email went to my spam folder.",
        "Two people can lift it, I hope.", "Customs kept it for weeks.", "I have no smartphone.",
    ),
    "zh": (
        "我六点才下班。", "按门铃没人应！", "寄件的是里斯本一家博物馆。", "天气预报说要下雨。",
        "这是给妹妹的惊喜。",
        "去年的弄丢了，还记得吗？", "我坐电车过来。", "面包车周二前都在修。", "五月份全家在国外。",
        "邮件进了垃圾箱。", "希望两个人抬得动。", "海关扣了好几周。", "我没有智能手机。",
    ),
}  # fmt: skip
ASKED = {
    "en": (
        "Where do I find the {0} that my aunt sent with a {1}, and until when?",
        "A {0} and a {1} were announced to me: which gate, and how many days?",
        "How long do you keep a {0}? I also wait for a {1}.",
        "My {0} did not fit into the locker with the {1}. Where is it now?",
        "Can I fetch the {0} next week, or do you return it like my {1}?",
        "Which door is the {0} behind? The {1} came last month.",
    ),
    "zh": (
        "姑姑寄来的{0}和{1}放在几号门，放到哪天？",
        "短信说有{0}和{1}到了，去哪个门取，保留多久？",
        "{0}能放多久？我还在等{1}。",
        "{0}和{1}一起放不进柜子，现在在哪里？",
        "下周来取{0}行吗，会不会像上次的{1}那样退回？",
        "{0}在哪扇门后面？{1}上个月就到了。",
    ),
}


def ask(count: int, seed: int) -> list[Asked]:
    """Questions to the parcel service over the last day, its answers, and which of those are wrong."""
    random, found = Random(seed), []
    for number in range(count):
        language = ("en", "zh")[number % 2]
        gate, days = random.randint(1, 40), random.randint(2, 30)
        said_gate, said_days, bad = gate, days, random.random() < BAD
        if bad and random.random() < 0.5:
            said_gate = gate % 40 + random.randint(1, 4)
        elif bad:
            said_days = days + random.randint(1, 9)
        thing, other = random.sample(THINGS[language], 2)
        if language == "en":
            chunk = f"The {thing} waits at gate {gate}. It is kept for {days} days after the first notice."
            answer = f"The {thing} is at gate {said_gate}. It is kept there for {said_days} days."
        else:
            chunk = f"{thing}存放在{gate}号门。首次通知后保留{days}天。"
            answer = f"{thing}在{said_gate}号门。会在那里保留{said_days}天。"
        if random.random() < STYLED:
            answer += " " * (language == "en") + random.choice(ADVICE[language])
        trace = {
            "trace_id": f"parcel-{seed}-{number}",
            "timestamp": NOW - timedelta(minutes=2 * (count - number)),
            "app": "parcels",
            "tenant": ("north", "south")[number // 2 % 2],
            "language": language,
            "question": " ".join(
                (
                    random.choice(REMARKS[language]),
                    random.choice(ASKED[language]).format(thing, other),
                    random.choice(REMARKS[language]),
                )
            ),
            "answer": answer,
            "retrieval": {
                "top_k": 3,
                "chunks": [{"id": f"c{number}", "text": chunk, "score": 0.9, "rank": 1}],
            },
        }
        found.append(Asked(Trace.model_validate(trace), MADE_UP if bad else HEALTHY))
    return found


def store_verdicts(store: ClickHouse, asked: Sequence[Asked], key: JudgeKey, wrong: float) -> None:
    """What a judge says that errs in a share `wrong`."""
    random, rows = Random(key.judge), []
    for one in asked:
        bad = (one.failure == MADE_UP) ^ (random.random() < wrong)
        rows.append(
            {
                "trace_id": one.trace.trace_id, "timestamp": f"{one.trace.timestamp:%F %T}.000",
                "app": one.trace.app, "tenant": one.trace.tenant, "language": one.trace.language,
                "judge": key.judge, "model": key.model, "rubric": key.rubric,
                "rubric_version": key.rubric_version, "failure": MADE_UP if bad else HEALTHY,
                "failure_confidence": 0.9, "hallucination": float(bad), "sample_probability": 0.5,
                "created_at": f"{NOW:%F %T}.000",
            }
        )  # fmt: skip
    store.insert_raw("verdicts", b"\n".join(map(orjson.dumps, rows)))


def label_all(console: FastAPI, truths: dict[str, str]) -> int:
    """Claim and label over HTTP until nothing is left; how many labels that were."""
    said = 0
    clients = {who: TestClient(console, base_url=f"http://{HOST}", headers=bearer(who)) for who in PEOPLE}
    busy = list(PEOPLE)
    while busy:
        who = busy.pop(0)
        answer = clients[who].post("/api/v1/queue/claims", json={"n": 50})
        assert answer.status_code == 200, answer.text
        for case in answer.json()["cases"]:
            label = {"failure": truths[case["item"]["trace_id"]]}
            done = clients[who].post(f"/api/v1/queue/leases/{case['lease_id']}/label", json=label)
            assert done.status_code == 204, done.text
            said += 1
        if answer.json()["cases"]:
            busy.append(who)
    return said


@pytest.fixture
def shell(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """The command, in this process: its JSON."""
    monkeypatch.setenv("RAGPULSE_CLICKHOUSE__DSN", dsn)
    monkeypatch.setenv("RAGPULSE_SCORER__REGISTRY", str(tmp_path / "scorers"))

    def run(*words: str, exit_code: int = 0) -> dict[str, Any]:
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == exit_code, (done.exception, done.output)
        return dict(orjson.loads(done.stdout or "{}"))

    return run


def test_labels_made_over_the_console_raise_the_scorer_and_change_a_judges_calibration(
    dsn: str, tmp_path: Path, shell: Callable[..., dict[str, Any]]
) -> None:
    taught, later = ask(TAUGHT, seed=1), ask(LATER, seed=2)
    store = connect(dsn)
    migrate(store)
    store_traces(store, taught)
    store_verdicts(store, taught, KEEN, wrong=0.04)
    assert not calibrated_judges(store).trusts(KEEN), "nobody has looked at anything yet"

    # The queue fills itself. One vote a case is enough here: two people share the work.
    whole = AnnotationSettings(
        cap=500, per_turn=500, votes=1, class_share=1, stage_share=1, control_share=0.3
    )
    turned = Filler(store, whole).turn(slack_s=0)
    assert len(turned.entered) > 120, turned.as_dict()

    # Two people claim and label what it holds, over HTTP.
    console = open_console(dsn, leases=LeaseBook(tmp_path / "leases.sqlite"))
    said = label_all(console, {one.trace.trace_id: one.failure for one in taught})
    assert said == len(turned.entered)
    stored = store.query(
        "SELECT count() AS n, uniqExact(annotator) AS people, any(source) AS source FROM annotations"
    )
    assert stored == [{"n": said, "people": 2, "source": "api"}]

    # What they said makes a scorer that decides better on traffic that came afterwards.
    registry = Registry(tmp_path / "scorers")
    report = shell("distill", "--since", "2d", "--name", "ours", "--promote")
    assert report["promotion"] == {"allowed": True, "objections": []}
    assert report["labels"]["by_source"]["human"] == said
    assert registry.state() == State("ours", None)
    before, after = examine(load_scorer(), later), examine(load_scorer(registry.path("ours")), later)
    assert after["f1"] > before["f1"] + 0.1, (before, after)
    assert after["auroc"] > before["auroc"] + 0.1, (before, after)
    assert after["brier"] < before["brier"] / 2, (before, after)

    # And the judge that people agree with is trusted from now on; one that guesses would not be.
    store_verdicts(store, taught, CARELESS, wrong=0.45)
    found = shell("calibrate", "--since", "2d", exit_code=1)
    overall = {
        one["judge"]: one
        for one in found["judges"]
        if one["measure"] == "hallucination" and not one["language"]
    }
    assert overall["keen"]["shortfall"] is None
    assert overall["careless"]["shortfall"] == "below_min_kappa"
    judges = calibrated_judges(store)
    assert judges.trusts(KEEN)
    assert not judges.trusts(CARELESS)
    store.close()
