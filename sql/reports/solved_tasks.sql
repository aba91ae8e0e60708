-- title: Tasks and what became of them
-- what: Planned tasks with the mean score of an agent over its trials; in a long report the first five of every level. Questions and answers of
--   gated benchmarks are not shown. Scores above lead here.
-- paper: no table of its own
WITH by_task AS (
    SELECT
        benchmark,
        coalesce(level, '') AS level,
        name,
        task_id,
        framework AS agent,
        model,
        setup,
        variant AS method,
        scorer,
        avg(score) AS score,
        count(*) AS trials,
        string_agg(DISTINCT outcome::VARCHAR, ', ' ORDER BY outcome::VARCHAR) AS outcome,
        bool_or(agent_task_scores.sample) AS sample
    FROM agent_task_scores
    WHERE list_contains($agent_runs::VARCHAR[], run_id) AND scorer IS DISTINCT FROM 'evidence recall'
    GROUP BY ALL
),
ranked AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY benchmark, level ORDER BY name, task_id) AS place,
        count(*) OVER () AS in_all
    FROM by_task
)
SELECT
    ranked.benchmark AS dataset,
    nullif(ranked.level, '') AS level,
    ranked.name,
    CASE WHEN NOT agent_tasks.gated THEN agent_tasks.question END AS question,
    CASE WHEN NOT agent_tasks.gated THEN agent_tasks.answer END AS expected,
    agent,
    model,
    setup,
    method,
    scorer,
    percent(score) AS score,
    trials,
    outcome,
    provenance(ranked.sample) AS data
FROM ranked
JOIN agent_tasks USING (task_id)
WHERE in_all <= 400 OR place <= 5
ORDER BY
    dataset_order(ranked.benchmark), ranked.benchmark, ranked.level, ranked.name, task_id, agent_order(agent), agent, model, setup,
    method_order(method), method, scorer
LIMIT 2000
