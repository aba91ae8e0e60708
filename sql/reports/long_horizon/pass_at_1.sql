-- title: Pass@1 by level (%)
-- what: Share of correct answers by the exact scorer and by each judge; mean and standard deviation over trials. The denominator
--   is the planned tasks, and the average weighs every task equally.
-- paper: HyMem, Table 1
SELECT
    benchmark,
    model,
    setup,
    framework,
    variant,
    scorer,
    any_value(trials) AS trials,
    percent(any_value(score) FILTER (level IN ('1', 'easy'))) AS level_1,
    percent(any_value(score) FILTER (level IN ('2', 'medium'))) AS level_2,
    percent(any_value(score) FILTER (level IN ('3', 'hard'))) AS level_3,
    percent(any_value(score) FILTER (level = 'all')) AS average,
    percent(any_value(spread) FILTER (level = 'all')) AS spread,
    any_value(tasks) FILTER (level = 'all') AS tasks,
    left(build_id, 8) AS task_set,
    provenance(bool_or(sample)) AS data
FROM agent_levels
SEMI JOIN (
    SELECT build_id, framework, variant, model, setup FROM agent_runs WHERE list_contains($runs::VARCHAR[], run_id)
) AS chosen USING (build_id, framework, variant, model, setup)
WHERE scorer = 'gaia' OR starts_with(scorer, 'judge ')
GROUP BY build_id, benchmark, model, setup, framework, variant, scorer
ORDER BY benchmark, model, framework_order(framework), variant, setup, scorer
