-- title: Paired differences from Flat (percentage points)
-- what: Method minus Flat on the same planned examples, with the normal 95 % interval of the paired difference; none where there are
--   fewer than two pairs or all differ alike. Better, equal and worse count examples.
-- paper: TreeAgent, Table 4
WITH differences AS (
    SELECT
        agent,
        model,
        setup,
        method,
        dataset,
        sample,
        weighted_mean(flat_score, weight) AS flat,
        weighted_mean(score, weight) AS score,
        weighted_mean(difference, weight) AS difference,
        half_width(difference, weight) AS half_width,
        count(*) AS pairs,
        count(*) FILTER (done AND flat_done) AS done,
        count(*) FILTER (difference > 1e-9) AS better,
        count(*) FILTER (abs(difference) <= 1e-9) AS equal,
        count(*) FILTER (difference < -1e-9) AS worse
    FROM paired
    WHERE (build_id, setup, agent, method) IN (
        SELECT (build_id, setup, agent, method) FROM run_setups WHERE list_contains($runs::VARCHAR[], run_id)
    )
    AND (build_id, setup, agent) IN (
        SELECT (build_id, setup, agent)
        FROM run_setups
        WHERE method = 'flat' AND list_contains($runs::VARCHAR[], run_id)
    )
    GROUP BY agent, model, setup, method, dataset, sample
)
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    percent(flat) AS flat,
    percent(score) AS score,
    percent(difference) AS difference,
    percent(within(difference - half_width, -1, 1)) AS low,
    percent(within(difference + half_width, -1, 1)) AS high,
    better,
    equal,
    worse,
    pairs,
    done,
    provenance(sample) AS data
FROM differences
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
