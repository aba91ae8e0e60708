"""Intervals and p values against other implementations of the same statistics."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.reporting import query
from tasks.reporting.significance import holm, mcnemar, normal, with_p


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (9, 3, 0.14599609375), (3, 9, 0.14599609375), (7, 7, 1.0)],
)
def test_mcnemar_is_the_binomial_test(better, worse, p):
    assert mcnemar(better, worse) == pytest.approx(p)
    total = better + worse
    tail = sum(math.comb(total, k) for k in range(min(better, worse) + 1)) / 2**total
    assert mcnemar(better, worse) == pytest.approx(min(1, 2 * tail))


def test_normal_is_two_sided():
    assert normal(1.959963984540054) == pytest.approx(0.05)
    assert normal(-1.959963984540054) == pytest.approx(0.05)
    assert normal(0) == 1


def test_holm_by_hand():
    # 0.01 * 4, then 0.02 * 3, then max(0.06, 0.03 * 2), then max(0.06, 0.04)
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([]) == []


@pytest.mark.parametrize(
    "p_values",
    [[0.5], [0.2, 0.2], [0.0, 1.0, 0.04], [0.9, 0.8, 0.7], [0.001, 0.5, 0.013, 0.02, 0.013], [0.3, 0.01, 0.6, 0.04]],
)
def test_holm_is_the_largest_step_down_product_so_far(p_values):
    def multiplied(p):
        return p * sum(other >= p for other in p_values)

    expected = [min(1, max(multiplied(q) for q in p_values if q <= p)) for p in p_values]
    assert holm(p_values) == pytest.approx(expected)


def test_each_comparison_is_a_family_of_its_own():
    def row(method, z, **other):
        return {"agent": "memagent", "method": method, "all_or_nothing": False, "z": z, **other}

    rows = with_p("gains_by_task", [row("tree", 3.0), row("tree", None), row("treeagent", 3.0), row("tree", 1.0)])
    assert [r["test"] for r in rows] == ["normal", None, "normal", "normal"]
    assert rows[0]["p_holm"] == pytest.approx(2 * rows[0]["p"])
    assert rows[2]["p_holm"] == rows[2]["p"]
    assert rows[1]["p"] is None
    exact = with_p("gains_by_task", [row("tree", 3.0) | {"all_or_nothing": True, "better": 5, "worse": 0}])
    assert (exact[0]["test"], exact[0]["p"]) == ("McNemar", 0.0625)


VALUES = st.lists(
    st.tuples(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), st.integers(0, 11), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=12,
    max_size=60,
)


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_clustered_intervals_are_those_of_statsmodels(shared_statistics, values):
    """Weighted least squares on a constant with cluster-robust errors, its correction for few clusters included."""
    import numpy as np
    import statsmodels.api as sm

    differences, contexts, weights = (np.array(column) for column in zip(*values, strict=True))
    if len(set(contexts)) < 2:
        return
    fitted = sm.WLS(differences, np.ones(len(values)), weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": contexts}
    )
    found = shared_statistics.execute(
        """
        SELECT weighted_mean(d, w), half_width(d, w)
        FROM (
            SELECT weighted_mean(difference, weight) AS d, sum(weight) AS w
            FROM (
                SELECT
                    unnest($1::DOUBLE[]) AS difference,
                    unnest($2::INTEGER[]) AS context,
                    unnest($3::DOUBLE[]) AS weight
            )
            GROUP BY context
        )
        """,
        [differences.tolist(), contexts.tolist(), weights.tolist()],
    ).fetchone()
    assert found[0] == pytest.approx(fitted.params[0], abs=1e-9)
    expected = 1.959963984540054 * fitted.bse[0]
    assert (found[1] or 0.0) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.fixture(scope="module")
def shared_statistics(fresh_invented):
    return fresh_invented().con


def test_pairs_of_a_shared_context_widen_the_clustered_interval(invented):
    ids = invented.build("b1", tasks=["count"], examples=40)
    invented.con.execute("UPDATE examples SET context_sha256 = (number // 2)::VARCHAR")
    invented.run("flat", "b1", ids, [0.0] * 40)
    invented.run("tree", "b1", ids, [1.0, 1.0, 0.0, 0.0] * 10, method="treeagent")
    (row,) = query.run(invented.con, "paired_differences", {"runs": ["flat", "tree"]}).records()
    assert (row["contexts"], row["pairs"]) == (20, 40)
    # 20 contexts, half of them 1: standard deviation sqrt(10/38 ... ) of 20 values against that of 40
    assert row["high"] - row["difference"] == pytest.approx(100 * 1.95996 * math.sqrt(0.25 * 40 / 39 / 40), abs=0.01)
    clustered = row["clustered_high"] - row["difference"]
    assert clustered == pytest.approx(100 * 1.95996 * math.sqrt(0.25 * 20 / 19 / 20), abs=0.01)
