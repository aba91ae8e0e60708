from hypothesis import given
from hypothesis import strategies as st

from tasks.running.plan import Work, cut


def test_short_examples_share_a_shard_and_long_ones_have_their_own() -> None:
    work = [Work(f"short{n}", 3, 10_000) for n in range(40)] + [Work(f"long{n}", 210, 1_200_000) for n in range(3)]
    shards = cut(work, tokens_per_second=1000, seconds=900)
    assert [len(shard) for shard in shards] == [40, 1, 1, 1]


@given(st.lists(st.integers(1, 5000), max_size=60), st.integers(1, 5000))
def test_every_example_once_in_order_and_no_shard_far_from_its_size(tokens: list[int], wanted: int) -> None:
    work = [Work(str(number), 1, size) for number, size in enumerate(tokens)]
    shards = cut(work, tokens_per_second=1, seconds=wanted)
    assert [example for shard in shards for example in shard] == [example.example_id for example in work]
    assert all(shards)
    sizes = {example.example_id: example.tokens for example in work}
    for shard in shards:
        assert len(shard) == 1 or sum(sizes[example] for example in shard) <= wanted + sizes[shard[-1]] / 2


def test_nothing_to_do() -> None:
    assert cut([], 1000) == []
