"""Which language a text is in, by the scripts it is written in and, in Latin script, by its function words.

Counting scripts beats statistical detectors on the short questions of real traffic: kana or hangul
decide at once; Chinese characters are weighed against Latin words, of which acronyms and names of parts
(RK3588, NPU) do not count, because Chinese is full of them. What is Latin and shows no function word of
another language is taken for English.
"""

from __future__ import annotations

import re
from collections import Counter

SUPPORTED = ("zh", "en")
SAMPLE_CHARS = 2_000
"""A language shows in its first lines; a gigabyte need not be read for it."""
WORDS_SAMPLE_CHARS = 200

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+")
_PLAIN_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Z]?[a-z']+(?![A-Za-z0-9])")
"""No acronym, no name with a digit or a capital inside."""
_OTHER_SCRIPT = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff]")
_FOREIGN = re.compile("|".join(script.pattern for script in (_KANA, _HANGUL, _OTHER_SCRIPT)))
_WORD = re.compile(r"[^\W\d_]+")

# Function words that English does not share. Two of them, and more than English ones, decide.
_FUNCTION_WORDS = {
    "en": "the is are what how does did which who when where why of and to for with from this that it can",
    "fr": "le les des une est dans pour que qui quel quelle où sur avec pas vous sont du au cette comment",
    "de": "der das und ist nicht ein eine einen mit für wie wo wann warum welche sind auf dem den zu von ich",
    "es": "el los las una que por para cómo cuál qué dónde cuándo es está del lo su más pero",
    "it": "il gli una che dove quando è sono della di nel perché quale questo non",
    "pt": "os uma que para com como onde quando não é são da em quanto qual você mais",
    "nl": "het niet hoe waar wanneer welke zijn met voor ik je wordt",
    "vi": "là của và không những cách sử dụng cho trong được các này để có bao nhiêu",
    "pl": "jest nie jak gdzie kiedy czy się na do który która przez dla są",
    "tr": "ve bir nasıl nerede için ile kadar değil olarak",
    "id": "yang di untuk dengan apa bagaimana adalah tidak ini itu berapa",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _one in _words.split():
        _LANGUAGES_OF.setdefault(_one, []).append(_language)
_NOT_ENGLISH_ALONE = frozenset(word for word, codes in _LANGUAGES_OF.items() if codes != ["en"])

# Letters that English does not have, names aside: two words with them count like two function words.
_OWN_LETTERS = {
    "vi": "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "pl": "ąęłńśźż",
    "tr": "ığş",
    "cs": "ěřů",
    "hu": "őű",
    "ro": "ășț",
}
_LANGUAGE_OF_LETTER = {letter: code for code, letters in _OWN_LETTERS.items() for letter in letters}
_OWN_LETTER = re.compile(f"[{''.join(_LANGUAGE_OF_LETTER)}]")

_NAMES = {
    "zh": (
        "chinese mandarin cantonese cn cmn yue zho chi 中文 汉语 漢語 普通话 普通話 国语 國語 "
        "简体中文 繁體中文 簡體中文 繁体中文 华语"
    ),
    "en": "english eng 英文 英语 英語",
    "ja": "japanese jpn jp 日文 日语 日語 日本語",
    "ko": "korean kor kr 韩文 韩语 한국어",
    "fr": "french fra fre 法语 français",
    "de": "german deu ger 德语 deutsch",
    "es": "spanish spa 西班牙语 español",
}
_ALIASES = {name: code for code, names in _NAMES.items() for name in names.split()}
_NO_LANGUAGE = {"und", "auto", "unknown", "none", "null", "mul", "zxx"}


def normalise(tag: str | None) -> str | None:
    """A language tag in its short form: zh-CN, zh_Hans, Chinese → zh. Null where it names none."""
    if not tag:
        return None
    short = re.split(r"[-_. (/,;]", tag[:64].strip().lower())[0]
    if not short or short in _NO_LANGUAGE:
        return None
    return _ALIASES.get(short, short[:16])


def detect(*texts: str | None) -> str | None:
    """`zh`, `en`, `ja`, another code, `other`, or null where there is no letter. The first text decides."""
    for text in texts:
        if text:
            language = _detect_one(text[:SAMPLE_CHARS])
            if language:
                return language
    return None


def _detect_one(text: str) -> str | None:
    if text.isascii():
        return _tell_latin(text) if _LATIN_WORD.search(text) else None
    han = len(_HAN.findall(text))
    if not _FOREIGN.search(text):  # most texts by far
        if han and han >= len(_PLAIN_WORD.findall(text)):
            return "zh"
        return _tell_latin(text) if _LATIN_WORD.search(text) else None
    kana = len(_KANA.findall(text))
    hangul = len(_HANGUL.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    other = len(_OTHER_SCRIPT.findall(text))
    if kana and kana * 8 >= han:
        return "ja"
    if hangul and hangul >= han:
        return "ko"
    if other > 4 * latin and other > han:
        return "other"
    if han and han >= len(_PLAIN_WORD.findall(text)):
        return "zh"
    return _tell_latin(text) if latin else None


def _tell_latin(text: str) -> str:
    """English, unless the function words of another language are more."""
    words = set(_WORD.findall(text[:WORDS_SAMPLE_CHARS].lower()))
    spelled = [] if text.isascii() else [w for w in words if _OWN_LETTER.search(w)]
    if not spelled and words.isdisjoint(_NOT_ENGLISH_ALONE):
        return "en"
    found: Counter[str] = Counter()
    for word in words:
        found.update(_LANGUAGES_OF.get(word, ()))
    for word in spelled:
        found.update({_LANGUAGE_OF_LETTER[letter] for letter in _OWN_LETTER.findall(word)})
    if not found:
        return "en"
    best, hits = found.most_common(1)[0]
    return best if hits >= 2 and hits > found["en"] else "en"
