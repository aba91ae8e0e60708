-- title: Examples
-- what: Question, expected answer and answers given, for the first example of every cell (at most 100). All of them: SELECT * FROM answers.
-- paper: no table of its own
WITH first_of_cell AS (
    SELECT *, row_number() OVER (PARTITION BY run_id, task, length ORDER BY number, example_id) AS place
    FROM answers
    WHERE list_contains($runs::VARCHAR[], run_id)
)
SELECT
    dataset,
    task,
    length,
    left(example_id, 8) AS example,
    question,
    expected,
    agent,
    model,
    setup,
    method,
    CASE WHEN extracted IS NOT NULL THEN extracted::VARCHAR END AS extracted,
    left(raw_answer, 300) AS raw_answer,
    outcome,
    percent(score) AS score,
    provenance(sample) AS data
FROM first_of_cell
WHERE place = 1
ORDER BY
    dataset_order(dataset), dataset, length, task_order(task), task, example_id, agent_order(agent), agent, model, setup,
    method_order(method), method
LIMIT 100
