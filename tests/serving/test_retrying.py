import pytest

from tasks.serving.retrying import Again, Patience


def test_pauses_grow_and_end() -> None:
    patience = Patience(attempts=4, first_pause=1.0)
    pauses = [patience.pause(failures, Again.FAILED) for failures in (1, 2, 3, 4)]
    assert pauses[3] is None
    for pause, expected in zip(pauses[:3], (1, 2, 4), strict=True):
        assert pause == pytest.approx(expected, rel=0.2)


def test_the_pause_that_a_server_names_is_kept_up_to_the_longest() -> None:
    patience = Patience(longest_pause=30)
    assert patience.pause(1, Again.BUSY, 7.0) == 7.0
    assert patience.pause(1, Again.BUSY, 3600.0) == 30.0


@pytest.mark.parametrize(("again", "failures", "retried"), [
    (Again.NO, 1, False), (Again.LOST, 2, True), (Again.LOST, 3, False),
    (Again.REFUSED, 5, True), (Again.REFUSED, 6, False),
])  # fmt: skip
def test_what_is_tried_again(again: Again, failures: int, retried: bool) -> None:
    assert (Patience().pause(failures, again) is not None) is retried
