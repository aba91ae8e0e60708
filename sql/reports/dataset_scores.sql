-- title: Scores by dataset (%)
-- what: The scores of the main table, one row each, with normal 95 % intervals over the planned examples. No interval where
--   there are fewer than two examples or all score the same.
-- paper: TreeAgent, Table 1
WITH scored AS (
    SELECT
        agent,
        model,
        setup,
        method,
        dataset,
        sample,
        weighted_mean(score, weight) AS score,
        half_width(score, weight) AS half_width,
        count(*) AS planned,
        count(*) FILTER (done) AS done,
        max(repeats) AS repeats
    FROM scores_of($runs::VARCHAR[])
    GROUP BY agent, model, setup, method, dataset, sample
)
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    percent(score) AS score,
    percent(within(score - half_width, 0, 1)) AS low,
    percent(within(score + half_width, 0, 1)) AS high,
    planned,
    done,
    repeats,
    provenance(sample) AS data
FROM scored
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
