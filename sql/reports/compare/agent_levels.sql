-- title: Difference by benchmark and level (percentage points)
-- what: Second minus first on the planned tasks that both have, each task once: its trials are averaged first. Normal 95 % intervals of
--   the paired difference over tasks. Level all weighs every task equally.
-- paper: HyMem, Table 1
WITH by_task AS MATERIALIZED (
    SELECT
        list_contains($second::VARCHAR[], run_id) AS second,
        benchmark,
        task_id,
        level,
        scorer,
        avg(score) AS score,
        bool_and(outcome <> 'skipped') AS done,
        bool_or(sample) AS sample
    FROM agent_task_scores
    WHERE (list_contains($first::VARCHAR[], run_id) OR list_contains($second::VARCHAR[], run_id))
        AND scorer <> 'evidence recall'
    GROUP BY ALL
),
pairs AS (
    SELECT
        one.benchmark,
        one.level,
        one.scorer,
        one.score AS first_score,
        other.score,
        other.score - one.score AS difference,
        one.done AND other.done AS done,
        one.sample OR other.sample AS sample
    FROM by_task AS one
    JOIN by_task AS other USING (task_id, scorer)
    WHERE NOT one.second AND other.second
),
scopes AS (
    SELECT 'dataset' AS scope, 'all' AS scope_level, * FROM pairs
    UNION ALL BY NAME
    SELECT 'level' AS scope, level AS scope_level, * FROM pairs
)
SELECT
    scope,
    benchmark AS dataset,
    scorer,
    scope_level AS level,
    percent(avg(first_score)) AS first_score,
    percent(avg(score)) AS score,
    percent(avg(difference)) AS difference,
    percent(within(avg(difference) - half_width(difference, 1), -1, 1)) AS low,
    percent(within(avg(difference) + half_width(difference, 1), -1, 1)) AS high,
    avg(difference) / half_width(difference, 1) * 1.959963984540054 AS z,
    count(*) FILTER (difference > 1e-9) AS better,
    count(*) FILTER (abs(difference) <= 1e-9) AS equal,
    count(*) FILTER (difference < -1e-9) AS worse,
    bool_and(score IN (0, 1) AND first_score IN (0, 1)) AS all_or_nothing,
    count(*) AS pairs,
    count(*) FILTER (done) AS done,
    provenance(bool_or(sample)) AS data
FROM scopes
GROUP BY scope, benchmark, scorer, scope_level
ORDER BY
    scope, dataset_order(benchmark), benchmark, scorer,
    coalesce(list_position(['1', '2', '3', 'easy', 'medium', 'hard'], scope_level), 99), scope_level
