"""Chinese and English texts in which everything that a tokenizer can stumble over comes up often."""

from __future__ import annotations

import random

PIECES = (
    "The cat's busy 1,200 3.5% 3万 百分之十五 下午三点半 五月 12:30 pm 5 million twenty-five ½ 2½ "
    "半年 八折 不 没有 非常 不仅 outdoorSeating Don't NPU RK3588 ，。；、（） () . ! ? : … — | \" "
    "” a.m 10-15 1.2.3 二〇二四 万一 三 两年 X Dr. A. Smith café ＡＢＣ １２ é 🙂 ' '' can't "
    "0000000000000000001 policies charging bus increase decrease more less 允许 禁止 增加 减少 "
    "true false no yes none 分之 三分之一 四 5 three one 7k 3 m 5pm army arm glass thingness "
    "undoubtedlyness { } [ ] 的一是 了人我 中国的银行 电动车 保修期 退货"
).split(" ")
PIECES += ["30 days of rest", "45 days of rest", "休息60天", "休息90天"]
HAN = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生电池保修退货银行价格"
JOINTS = ["", " ", " ", " ", ". ", "，", "\n", "。", ", ", "\u3000", "\t"]


def make_texts(seed: int, count: int, pieces: int) -> list[str]:
    """`count` texts of up to so many pieces, the same for the same seed."""
    rng = random.Random(seed)
    return [make_text(rng, pieces) for _ in range(count)]


def make_text(rng: random.Random, pieces: int) -> str:
    """One text of up to so many pieces; one in forty has half a character in it."""
    made = []
    for _ in range(rng.randrange(pieces)):
        some = "".join(rng.choice(HAN) for _ in range(rng.randrange(5)))
        made.append(rng.choice(PIECES) if rng.random() < 0.75 else some)
        made.append(rng.choice(JOINTS))
    return "".join(made) + ("\ud800x" if rng.random() < 0.025 else "")
