-- title: Difference by dataset, task and length (percentage points)
-- what: Second run minus first on the planned examples that both have, cells weighed equally, with normal 95 % intervals of the paired
--   difference, over examples and, for ten contexts or more, clustered by context.
-- paper: TreeAgent, Table 4 and Figure 3
WITH both_runs AS MATERIALIZED (
    SELECT * FROM example_scores WHERE run_id IN ($first, $second)
),
pairs AS MATERIALIZED (
    SELECT
        one.dataset,
        one.task,
        one.length,
        one.context_sha256,
        one.score AS first_score,
        other.score,
        other.score - one.score AS difference,
        1 / count(*) OVER (PARTITION BY one.dataset, one.task, one.length) AS weight,
        one.done AND other.done AS done,
        one.sample OR other.sample AS sample
    FROM both_runs AS one
    JOIN both_runs AS other USING (example_id)
    WHERE one.run_id = $first AND other.run_id = $second
),
scopes AS (
    SELECT 'dataset' AS scope, NULL::VARCHAR AS task_group, NULL::INTEGER AS length_group, * FROM pairs
    UNION ALL BY NAME
    SELECT 'task' AS scope, task AS task_group, * FROM pairs
    UNION ALL BY NAME
    SELECT 'length' AS scope, length AS length_group, * FROM pairs
),
by_context AS (
    SELECT
        scope,
        dataset,
        task_group,
        length_group,
        context_sha256,
        weighted_mean(difference, weight) AS difference,
        sum(weight) AS weight
    FROM scopes
    GROUP BY ALL
),
clustered AS (
    SELECT scope, dataset, task_group, length_group, CASE WHEN count(*) >= 10 THEN half_width(difference, weight) END AS half_width
    FROM by_context
    GROUP BY ALL
),
compared AS (
    SELECT
        scope,
        dataset,
        task_group,
        length_group,
        weighted_mean(first_score, weight) AS first_score,
        weighted_mean(score, weight) AS score,
        weighted_mean(difference, weight) AS difference,
        half_width(difference, weight) AS half_width,
        count(*) FILTER (difference > 1e-9) AS better,
        count(*) FILTER (abs(difference) <= 1e-9) AS equal,
        count(*) FILTER (difference < -1e-9) AS worse,
        bool_and(score IN (0, 1) AND first_score IN (0, 1)) AS all_or_nothing,
        count(*) AS pairs,
        count(*) FILTER (done) AS done,
        bool_or(sample) AS sample
    FROM scopes
    GROUP BY ALL
)
SELECT
    compared.scope,
    compared.dataset,
    compared.task_group AS task,
    compared.length_group AS length,
    percent(first_score) AS first_score,
    percent(score) AS score,
    percent(difference) AS difference,
    percent(within(difference - compared.half_width, -1, 1)) AS low,
    percent(within(difference + compared.half_width, -1, 1)) AS high,
    percent(within(difference - clustered.half_width, -1, 1)) AS clustered_low,
    percent(within(difference + clustered.half_width, -1, 1)) AS clustered_high,
    difference / compared.half_width * 1.959963984540054 AS z,
    better,
    equal,
    worse,
    all_or_nothing,
    pairs,
    done,
    provenance(sample) AS data
FROM compared
JOIN clustered
    ON clustered.scope = compared.scope
    AND clustered.dataset = compared.dataset
    AND clustered.task_group IS NOT DISTINCT FROM compared.task_group
    AND clustered.length_group IS NOT DISTINCT FROM compared.length_group
ORDER BY
    list_position(['dataset', 'task', 'length'], compared.scope), dataset_order(compared.dataset), compared.dataset,
    task_order(task), task, length
