-- title: Examples
-- what: Question, expected answer and answers given, for the first example of every cell; in a long report for so many cells of each run
--   that every task and every length appears. Numbers above lead here.
-- paper: no table of its own
WITH chosen AS MATERIALIZED (FROM example_scores WHERE list_contains($runs::VARCHAR[], run_id)),
cells AS (
    SELECT
        run_id,
        task,
        length,
        arg_min(example_id, (number, example_id)) AS example_id,
        dense_rank() OVER (PARTITION BY run_id ORDER BY task_order(task), task) - 1 AS task_rank,
        dense_rank() OVER (PARTITION BY run_id ORDER BY length) - 1 AS length_rank
    FROM chosen
    GROUP BY run_id, task, length
),
sizes AS (
    SELECT run_id, max(task_rank) + 1 AS tasks, max(length_rank) + 1 AS lengths, sum(count(*)) OVER () AS cells
    FROM cells
    GROUP BY run_id
),
shown AS (
    SELECT run_id, example_id
    FROM cells
    JOIN sizes USING (run_id)
    WHERE sizes.cells <= 200
        OR (tasks >= lengths AND length_rank = task_rank % lengths)
        OR (tasks < lengths AND task_rank = length_rank % tasks)
)
SELECT
    chosen.dataset,
    chosen.task,
    chosen.length,
    left(chosen.example_id, 8) AS example,
    questions.text AS question,
    questions.answer AS expected,
    chosen.agent,
    chosen.model,
    chosen.setup,
    chosen.method,
    CASE WHEN scores.extracted IS NOT NULL THEN scores.extracted::VARCHAR END AS extracted,
    left(predictions.raw_answer, 300) AS raw_answer,
    chosen.outcome,
    percent(chosen.score) AS score,
    provenance(chosen.sample) AS data
FROM chosen
SEMI JOIN shown USING (run_id, example_id)
JOIN examples USING (example_id)
JOIN questions USING (question_id)
LEFT JOIN predictions ON predictions.run_id = chosen.run_id AND predictions.example_id = chosen.example_id
LEFT JOIN scores
    ON scores.run_id = chosen.run_id AND scores.example_id = chosen.example_id AND scores.scorer = chosen.scorer
ORDER BY
    dataset_order(chosen.dataset), chosen.dataset, chosen.length, task_order(chosen.task), chosen.task, chosen.example_id,
    agent_order(chosen.agent), chosen.agent, chosen.model, chosen.setup, method_order(chosen.method), chosen.method
LIMIT 2000
