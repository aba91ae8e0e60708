-- title: Pass@1 of long-horizon agents (%)
-- what: By level of difficulty and over all planned tasks, each of which counts once; whatever is missing scores zero. Trials are averaged
--   first; the deviation is that between whole trials. Normal 95 % interval over tasks; none where there are fewer than two or all score alike.
-- paper: HyMem, Table 1
WITH by_task AS (
    SELECT
        benchmark,
        model,
        setup,
        framework AS agent,
        variant AS method,
        coalesce(scorer, '') AS scorer,
        level,
        task_id,
        avg(score) AS score,
        count(*) AS trials,
        bool_and(outcome <> 'skipped') AS done,
        sample
    FROM agent_task_scores
    WHERE list_contains($agent_runs::VARCHAR[], run_id) AND scorer IS DISTINCT FROM 'evidence recall'
    GROUP BY ALL
),
by_trial AS (
    SELECT
        benchmark,
        model,
        setup,
        framework AS agent,
        variant AS method,
        coalesce(scorer, '') AS scorer,
        sample,
        run_id,
        avg(score) AS score
    FROM agent_task_scores
    WHERE list_contains($agent_runs::VARCHAR[], run_id) AND scorer IS DISTINCT FROM 'evidence recall'
    GROUP BY ALL
),
deviations AS (
    SELECT * EXCLUDE (run_id, score), stddev_samp(score) AS deviation FROM by_trial GROUP BY ALL
)
SELECT
    benchmark AS dataset,
    model,
    setup,
    agent,
    method,
    nullif(scorer, '') AS scorer,
    percent(avg(score) FILTER (level IN ('1', 'easy'))) AS first_level,
    percent(avg(score) FILTER (level IN ('2', 'medium'))) AS second_level,
    percent(avg(score) FILTER (level IN ('3', 'hard'))) AS third_level,
    percent(avg(score)) AS score,
    percent(within(avg(score) - half_width(score, 1), 0, 1)) AS low,
    percent(within(avg(score) + half_width(score, 1), 0, 1)) AS high,
    percent(any_value(deviation)) AS deviation,
    max(trials) AS trials,
    count(*) AS planned,
    count(*) FILTER (done) AS done,
    provenance(sample) AS data
FROM by_task
JOIN deviations USING (benchmark, model, setup, agent, method, scorer, sample)
GROUP BY benchmark, model, setup, agent, method, scorer, sample
ORDER BY dataset_order(benchmark), benchmark, model, scorer, agent_order(agent), agent, method_order(method), method, setup
