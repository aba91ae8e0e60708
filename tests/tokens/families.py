"""Tokenizers of every family, trained here on made-up text, and texts that are hard to count in slices."""

import functools
import json
import random
from typing import Any

from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import models, trainers

from tasks.home import home
from tasks.tokens.library import LibraryTokenizer
from tasks.tokens.rules import GPT2_PATTERN, LLAMA3_PATTERN, QWEN_PATTERN
from tasks.tokens.tokenizer import Tokenizer, load

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
ONE_SPACE = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None}


def split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def sequence(kind: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", kind: list(parts)}


PARTS: dict[str, tuple[dict[str, Any] | None, dict[str, Any]]] = {
    "qwen": ({"type": "NFC"}, sequence("pretokenizers", split(QWEN_PATTERN), BYTES)),
    "llama 3": (None, sequence("pretokenizers", split(LLAMA3_PATTERN), BYTES)),
    "gpt-2": (None, BYTES | {"use_regex": True}),
    "gpt-2 pattern": ({"type": "NFC"}, split(GPT2_PATTERN)),
    "roberta": (None, BYTES | {"use_regex": True, "add_prefix_space": True}),
    "smollm": (
        None,
        sequence("pretokenizers", {"type": "Digits", "individual_digits": True}, BYTES | {"use_regex": True}),
    ),
    "digits together": (
        {"type": "NFC"},
        sequence(
            "pretokenizers",
            {"type": "Punctuation", "behavior": "Contiguous"},
            {"type": "Digits", "individual_digits": False},
            BYTES | {"use_regex": True, "add_prefix_space": True},
        ),
    ),
    "sentencepiece unigram": (sequence("normalizers", {"type": "Nmt"}, {"type": "NFKC"}, ONE_SPACE), METASPACE),
    "sentencepiece bpe": ({"type": "NFKC"}, METASPACE | {"prepend_scheme": "first"}),
    "t5": (
        sequence("normalizers", {"type": "Strip", "strip_left": False, "strip_right": True}, ONE_SPACE),
        sequence("pretokenizers", {"type": "WhitespaceSplit"}, METASPACE),
    ),
    "marks for runs": ({**ONE_SPACE, "content": "▁"}, METASPACE),
    "spaces": (
        {"type": "Strip", "strip_left": False, "strip_right": True},
        {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithNext", "invert": False},
    ),
    "bert": (BERT | {"lowercase": True}, {"type": "BertPreTokenizer"}),
    "bert over nfc": ({"type": "NFC"}, {"type": "BertPreTokenizer"}),
    "words": (
        sequence("normalizers", {"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}),
        {"type": "Whitespace"},
    ),
    "whitespace and signs": (
        {"type": "Lowercase"},
        sequence("pretokenizers", {"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": "Isolated"}),
    ),
}
"""Normalizer and pre-tokenizer, as a tokenizer.json writes them."""

UNPROVEN = {"unsplit": (None, METASPACE | {"split": False})}
"""One whose merges may join what stands anywhere."""

MODELS = {
    "sentencepiece unigram": "Unigram",
    "t5": "Unigram",
    "sentencepiece bpe": "BPE",
    "marks for runs": "BPE",
    "bert": "WordPiece",
    "words": "WordPiece",
    "llama 3": "BPE",
    "roberta": "BPE",
    "digits together": "BPE",
    "bert over nfc": "WordPiece",
    "unsplit": "BPE",
}
"""The families that are trained, and with which model."""


@functools.cache
def family(name: str) -> Tokenizer:
    """`qwen` and `smollm2` are the real ones; the others are trained on the spot."""
    return load(name, home()) if name in ("qwen", "smollm2") else LibraryTokenizer(name, trained(name))


def definition(name: str, model: dict[str, Any]) -> str:
    normalizer, pre_tokenizer = (PARTS | UNPROVEN)[name]
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": None,
            "decoder": None,
            "model": model,
        }
    )


@functools.cache
def trained(name: str) -> str:
    """A tokenizer.json of this family."""
    unknown = {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"}
    library = Library.from_str(definition(name, unknown))
    special = ["<unk>", "[MASK]"]
    if MODELS[name] == "Unigram":
        library.model = models.Unigram()
        trainer = trainers.UnigramTrainer(
            vocab_size=600, special_tokens=special, unk_token="<unk>", show_progress=False
        )
    elif MODELS[name] == "WordPiece":
        library.model = models.WordPiece(unk_token="<unk>")
        trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=special, show_progress=False)
    else:
        library.model = models.BPE(unk_token="<unk>", fuse_unk=True)
        trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=special, show_progress=False)
    library.train_from_iterator(_corpus(), trainer)
    return library.to_str()


@functools.cache
def _corpus() -> list[str]:
    """Lines of records in the four formats, always the same."""
    draw = random.Random(5)
    words = ["".join(draw.choices("aeinorstkl", k=draw.randint(2, 7))) for _ in range(120)]
    lines = []
    for number in range(300):
        one, two, three = draw.sample(words, 3)
        value = draw.choice([str(draw.randint(0, 99999)), f"{draw.random():.3f}", "größer", "don't", "数据。", "é  è"])
        lines += [
            json.dumps({one: value, two: [number, number + 1], three: None}, ensure_ascii=False),
            f"{one}:\n  - {two}: {value}\n    {three}: '{number}'\n",
            f'<tr><td class="{one}">{value}</td><td>{two} &amp; {three}</td></tr>',
            f"const {one} = {{{two}: '{value}', {three}: [{number}]}};",
        ]
    return lines


FRAGMENTS = (
    "é|e\u0301|A\u030a\u0323|가|\u1100\u1161\u11a8|👩\u200d👩\u200d👧|🏳️\u200d🌈|\u0344|=\u0338|<\u0338/|Å|K|ﬁ|"
    "\r\n|\n  \n|\n\t|\u0085|\u2028|\u00a0|\u3000|   |\t\t| |\x00|\x1f|\ufeff|\u202e|"
    "don't|I'LL|'ſ|''s|123456|½³|٣٤|Ⅷ|▁|▁▁|<|im_end|>|[MASK]|<unk>|中文。字|العربية|क्षि|ไทย|word|Word2Vec|snake_case|x|"
    '{|}|[]|": "|, |\\u00e9|\\n|<a href="x>y">|</td>|- |: |&amp;|--|/*|*/|=>|`${x}`'
).split("|")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A text of one of the four formats, or none, full of what is hard to count."""
    words = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=8).map("".join)
    records = draw(st.lists(st.lists(words, min_size=2, max_size=3), max_size=5))
    shape = draw(st.sampled_from(["json", "yaml", "html", "javascript", "none"]))
    if shape == "json":
        return json.dumps(records, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    if shape == "yaml":
        return "".join(f"- {a}: {b}\r\n  more: |\n    {b}\n" for a, b, *_ in records)
    if shape == "html":
        return "".join(f"<p id='{a}'>{b}<b>{b}</b>\n" for a, b, *_ in records)
    if shape == "javascript":
        return "".join(f"const a = {{'{a}': `{b}`, b: [{b}]}};\n" for a, b, *_ in records)
    return "".join("".join(record) for record in records)
