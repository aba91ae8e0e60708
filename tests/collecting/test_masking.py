import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.collecting.masking import EMAIL_MASK, PHONE_MASK, is_personal, mask
from tasks.trees.parse import parse


@pytest.mark.parametrize(
    ("format", "text", "expected"),
    [
        ("json", '{"email":"ada.novak@hospital.gov.uk"}', f'{{"email":"{EMAIL_MASK}"}}'),
        ("json", r'{"a":"Contact:\nada@there.net"}', rf'{{"a":"Contact:\n{EMAIL_MASK}"}}'),
        ("json", r'{"a":"ada\u0040there.net"}', f'{{"a":"{EMAIL_MASK}"}}'),
        ("json", '{"telephone":"020 7946 0958"}', f'{{"telephone":"{PHONE_MASK}"}}'),
        ("json", '{"phone": "+1 (555) 010-9999", "phoneExt": "12"}', f'{{"phone": "{PHONE_MASK}", "phoneExt": "12"}}'),
        ("html", '<a href="mailto:ada@there.net">Ada</a>', f'<a href="mailto:{EMAIL_MASK}">Ada</a>'),
        ("html", "ada&#64;there.net or ada&#x40;there.net", f"{EMAIL_MASK} or {EMAIL_MASK}"),
        ("html", "<p>Tel. 02382 59743 (office)</p>", f"<p>Tel. {PHONE_MASK} (office)</p>"),
        ("html", '<a href="tel:+49-61-51-405-0">', f'<a href="tel:{PHONE_MASK}">'),
        ("html", "call +44 20 7946 0958 now", f"call {PHONE_MASK} now"),
        ("yaml", "contact:\n  email: api@vendor.io\n", f"contact:\n  email: {EMAIL_MASK}\n"),
        ("yaml", 'phone_number: "+15554445000"', f'phone_number: "{PHONE_MASK}"'),
    ],
)
def test_personal_data_is_masked(format, text, expected):
    found, masks = mask(text, format)
    assert found == expected
    assert is_personal(text) or format != "html"
    for one in masks:
        assert found[one.start : one.start + len(one.replacement)] == one.replacement


@pytest.mark.parametrize(
    "text",
    [
        "redacted@example.org, someone@example.com, a@b.invalid, nvd@sample.example.org",
        "logo@2x.png and lodash@4.17.21 and @param and a@b",
        "https://lists.there.net/package-announce%40lists.there.net/message/AB12",
        "2017-01-03T21:47:00+01:00, 1484000000000, 10.1016/j.ffa.2015.10.008, 978-0-306-40615-7",
        "ocds-b5fd17-2c489619-adc8-11e6-9901-0019b9f3037b, CVE-2021-44228, +38.5, -122.4178983",
        "telephone exchange 7, phone 12, phoneme: 1234",
    ],
)
def test_what_only_looks_like_it_stays(text):
    assert mask(text, "html") == (text, [])
    assert mask(json.dumps({"a": text}), "json")[1] == []
    assert not is_personal(text)


words = st.sampled_from(
    ["ada@there.net", "x.y-z@a-b.co.uk", "\n", '"', "\\", "é", "tel: 020 7946 0958", "+44 20 7946 0958", ",", " ", "n"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(words, max_size=12).map("".join), st.booleans())
def test_masked_json_stays_json_and_the_row_says_how_to_mask(text, ascii_only):
    source = json.dumps({"before": [text], "behind": 1}, ensure_ascii=ascii_only)
    found, masks = mask(source, "json")
    assert json.loads(found).keys() == {"before", "behind"}
    parse(found, "json")
    rebuilt = source
    for one in masks:
        rebuilt = rebuilt[: one.start] + one.replacement + rebuilt[one.start + one.characters :]
    assert rebuilt == found
