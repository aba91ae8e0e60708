-- title: Scores by context length (%)
-- what: Mean over tasks, each over its planned examples; where there are several datasets, rows "mean" weigh them equally. Normal
--   95 % intervals; none where there are fewer than two examples or all score the same.
-- paper: TreeAgent, Figure 2
WITH chosen AS (
    SELECT
        *,
        weight / sum(weight) OVER (PARTITION BY agent, setup, method, dataset, sample, length) AS share,
        dense_rank() OVER (PARTITION BY agent, setup, method, sample ORDER BY dataset) AS dataset_rank
    FROM scores_of($runs::VARCHAR[])
),
scored AS (
    SELECT
        agent,
        model,
        setup,
        method,
        CASE WHEN grouping(dataset) = 1 THEN 'mean' ELSE dataset END AS dataset,
        length,
        sample,
        grouping(dataset) AS over_datasets,
        max(dataset_rank) AS last_rank,
        min(dataset_rank) AS first_rank,
        weighted_mean(score, share) AS score,
        half_width(score, share) AS half_width,
        count(*) AS planned,
        count(*) FILTER (done) AS done
    FROM chosen
    GROUP BY GROUPING SETS (
        (agent, model, setup, method, dataset, length, sample), (agent, model, setup, method, length, sample)
    )
)
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    length,
    percent(score) AS score,
    percent(within(score - half_width, 0, 1)) AS low,
    percent(within(score + half_width, 0, 1)) AS high,
    planned,
    done,
    provenance(sample) AS data
FROM scored
WHERE over_datasets = 0 OR last_rank > first_rank
ORDER BY
    agent_order(agent), agent, model, setup, over_datasets, dataset_order(dataset), dataset, sample, length,
    method_order(method), method
