"""The small language of the wording files: every rule recognises what stands beside it."""

from __future__ import annotations

import pytest

from judges.distilled.reading import declining, followup
from judges.distilled.reading.wording.closed import COURTESY, OUTAGE
from judges.distilled.reading.wording.cues import find_cues
from judges.distilled.reading.wording.fold import fold
from judges.distilled.reading.wording.grammar import Grammar, Rule
from judges.distilled.reading.wording.reading import ChineseReader, EnglishReader

LANGUAGES = [
    ("refusal, English", declining.ENGLISH.grammar, EnglishReader(declining.ENGLISH.grammar)),
    ("refusal, Chinese", declining.CHINESE.grammar, ChineseReader(declining.CHINESE.grammar)),
    ("follow-up, English", followup.ENGLISH.grammar, EnglishReader(followup.ENGLISH.grammar)),
    ("follow-up, Chinese", followup.CHINESE.grammar, ChineseReader(followup.CHINESE.grammar)),
    ("courtesy, English", COURTESY.english, EnglishReader(COURTESY.english)),
    ("courtesy, Chinese", COURTESY.chinese, ChineseReader(COURTESY.chinese)),
    ("outage, English", OUTAGE.english, EnglishReader(OUTAGE.english)),
    ("outage, Chinese", OUTAGE.chinese, ChineseReader(OUTAGE.chinese)),
]
EXAMPLES = [
    pytest.param(grammar, reader, group, rule, example, id=f"{name}: {group}: {example}")
    for name, grammar, reader in LANGUAGES
    for group, rules in grammar.groups.items()
    for rule in rules
    for example in rule.examples
]


@pytest.mark.parametrize(("grammar", "reader", "group", "rule", "example"), EXAMPLES)
def test_every_rule_recognises_its_example(
    grammar: Grammar, reader: EnglishReader | ChineseReader, group: str, rule: Rule, example: str
) -> None:
    letters = reader.read(fold(example).strip("。.!！"))
    assert rule in [match.rule for match in grammar.find(letters, group)]


@pytest.mark.parametrize(
    ("language", "group"),
    [(lang, g) for lang in (declining.ENGLISH, declining.CHINESE) for g in declining.DECLINING],
)
def test_every_sentence_that_declines_has_a_cue(language: object, group: str) -> None:
    grammar = language.grammar  # type: ignore[attr-defined]
    examples = [fold(e) for rule in grammar.groups[group] for e in rule.examples]
    assert [e for e in examples if not find_cues(e)] == []


def grammar_of(*patterns: str) -> Grammar:
    return Grammar(
        {"PAUSE": ", .", "WHO": "i we", "NOT": "not never", "TELL": "say tell", "SAID": "say said"},
        rules=[Rule(p, ()) for p in patterns],
    )


@pytest.mark.parametrize(
    ("pattern", "sentence", "fits"),
    [
        ("WHO NOT TELL", "we never tell", True),
        ("WHO NOT TELL", "we tell", False),
        ("WHO ..2 TELL", "i do not tell", True),
        ("WHO ..1 TELL", "i do not tell", False),
        ("WHO ..5 TELL", "i do, tell", False),
        ("WHO ,,5 TELL", "i do, tell", True),
        ("^ TELL", "i tell", False),
        ("TELL $", "i tell you", False),
        ("(WHO NOT|please) TELL", "please say it", True),
        ("WHO NOT? TELL", "we say", True),
        ("WHO NOT* TELL", "we never never not say", True),
        ("WHO NOT* TELL", "we not not not not say", False),
        ("NOT !TELL", "not say", False),
        ("NOT !TELL", "not now", True),
        ("-WHO TELL", "i say", False),
        ("-WHO TELL", "they say", True),
        ("SAID CONTENT", "say cheese", True),
        ("SAID CONTENT", "say i", False),
        ("SAID ANY", "say i", True),
        ("SAID", "tell", False),
        ("TELL SAID", "say say", True),
    ],
)
def test_a_pattern_is_a_row_of_roles(pattern: str, sentence: str, fits: bool) -> None:
    grammar = grammar_of(pattern)
    letters = EnglishReader(grammar).read(sentence)
    assert bool(list(grammar.find(letters, "rules"))) is fits


def test_an_unknown_role_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="NOBODY"):
        grammar_of("NOBODY TELL")


def test_contractions_are_two_words() -> None:
    grammar = grammar_of("WHO do NOT TELL")
    reader = EnglishReader(grammar)
    assert reader.read("i don't say") == reader.read("i do not say") == reader.read("i dont say")


def test_chinese_is_read_by_the_longest_words_known() -> None:
    grammar = Grammar({"NOT": "未 没有", "NEUTRAL": "未来", "SAY": "提到"}, rules=[Rule("NOT SAY", ())])
    reader = ChineseReader(grammar)
    assert list(grammar.find(reader.read("未提到"), "rules"))
    assert not list(grammar.find(reader.read("未来提到"), "rules"))
    assert len(reader.read("rk3588 没有提到 x86 吗")) == 5


@pytest.mark.parametrize("text", ["Ｉ’ｍ ＳＯＲＲＹ，請問！", "", "plain", "𠮷野家 ① É 😀\ud800"])
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_folding_writes_everything_in_one_spelling() -> None:
    assert fold("Ｉ’ｍ ＳＯＲＲＹ，無法回答！") == "i'm sorry,无法回答!"
