"""The language of short texts, and the short forms of language tags."""

from __future__ import annotations

import pytest

from judges.distilled.reading.language import detect, normalise


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("它支持INT4吗?", "zh"),
        ("RK3588 的 NPU 支持 INT4、INT8、FP16 吗", "zh"),
        ("iPhone 15 Pro Max 多少钱", "zh"),
        ("價格？", "zh"),
        ("《The Lord of the Rings》的作者是谁", "zh"),
        ("请用 print 函数输出 hello world", "zh"),
        ("OK吗", "zh"),
        ("𠮷野家", "zh"),
        ("What does 你好 mean?", "en"),
        ("Explain the term 阴阳", "en"),
        ("How do I say 谢谢 in Chinese?", "en"),
        ("Where is the café?", "en"),
        ("ok", "en"),
        ("RK3588", "en"),
        ("x = load('model.bin')", "en"),
        ("Wǒ jiào Lǐ Míng", "en"),
        ("Ｗｉ－Ｆｉ", "en"),
        ("Die Another Day came out when?", "en"),
        ("Who painted Las Meninas?", "en"),
        ("Le Mans 24h winner", "en"),
        ("thank you 🎉🎉🎉", "en"),
        ("東京タワーの高さは?", "ja"),
        ("カメラ", "ja"),
        ("안녕하세요 RK3588", "ko"),
        ("Сколько стоит подписка?", "other"),
        ("كم السعر؟", "other"),
        ("इसकी कीमत क्या है?", "other"),
        ("Quel est le prix de l'abonnement mensuel ?", "fr"),
        ("Où êtes-vous et comment est la météo dans le nord ?", "fr"),
        ("Wie hoch ist die Gebühr und wann wird sie fällig?", "de"),
        ("¿Cuánto cuesta el plan y cuándo es la entrega?", "es"),
        ("Cách sử dụng của thiết bị này là gì?", "vi"),
        ("Bảo hành kéo dài bao lâu?", "vi"),
        ("Łączna długość przewodu?", "pl"),
        ("Ürünün garantisi kaç yıl, ağırlığı ne kadar?", "tr"),
        ("Who was born in Łódź?", "en"),
        ("Is the Kadıköy ferry late?", "en"),
        ("123", None),
        ("12:30 - 13:00", None),
        ("😀👍", None),
        ("?!…", None),
        ("", None),
        (None, None),
    ],
)
def test_short_texts_are_told_apart(text: str | None, language: str | None) -> None:
    assert detect(text) == language


def test_the_first_text_that_tells_decides() -> None:
    assert detect("123", None, "它支持吗", "What is it?") == "zh"
    assert detect("What is it?", "它支持吗") == "en"
    assert detect() is None


def test_only_the_beginning_of_an_endless_text_is_read() -> None:
    assert detect("word " * 1_000 + "字" * 100_000) == "en"


@pytest.mark.parametrize(
    ("tag", "short"),
    [
        ("zh-CN", "zh"),
        ("zh_Hant_TW", "zh"),
        ("cmn-Hans-CN", "zh"),
        ("Chinese (Simplified)", "zh"),
        ("繁體中文", "zh"),
        ("EN-us", "en"),
        ("English", "en"),
        ("fr-FR", "fr"),
        ("ja", "ja"),
        (" de ", "de"),
        ("und", None),
        ("auto", None),
        ("", None),
        ("  ", None),
        (None, None),
        ("x" * 99, "x" * 16),
    ],
)
def test_language_tags_have_a_short_form(tag: str | None, short: str | None) -> None:
    assert normalise(tag) == short
