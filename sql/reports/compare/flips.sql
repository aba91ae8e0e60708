-- title: Examples that flipped
-- what: Examples that the two runs score differently, greatest change first; losses before gains of the same size.
-- paper: no table of its own
WITH both_runs AS MATERIALIZED (
    SELECT * FROM example_scores WHERE run_id IN ($first, $second)
),
changed AS (
    SELECT
        one.example_id,
        one.dataset,
        one.task,
        one.length,
        one.number,
        one.score AS first_score,
        one.outcome AS first_outcome,
        one.scorer AS first_scorer,
        other.score AS second_score,
        other.outcome AS second_outcome,
        other.scorer AS second_scorer,
        one.sample OR other.sample AS sample
    FROM both_runs AS one
    JOIN both_runs AS other USING (example_id)
    WHERE one.run_id = $first AND other.run_id = $second AND abs(other.score - one.score) > 1e-9
)
SELECT
    changed.example_id AS example,
    changed.dataset,
    changed.task,
    changed.length,
    percent(first_score) AS first_score,
    percent(second_score) AS second_score,
    percent(second_score - first_score) AS difference,
    first_outcome,
    second_outcome,
    questions.text AS question,
    questions.answer AS expected,
    first_scores.extracted AS first_extracted,
    second_scores.extracted AS second_extracted,
    first_said.raw_answer AS first_answer,
    second_said.raw_answer AS second_answer,
    provenance(changed.sample) AS data
FROM changed
JOIN examples USING (example_id)
JOIN questions USING (question_id)
LEFT JOIN predictions AS first_said ON first_said.example_id = changed.example_id AND first_said.run_id = $first
LEFT JOIN predictions AS second_said ON second_said.example_id = changed.example_id AND second_said.run_id = $second
LEFT JOIN scores AS first_scores
    ON first_scores.example_id = changed.example_id AND first_scores.run_id = $first AND first_scores.scorer = first_scorer
LEFT JOIN scores AS second_scores
    ON second_scores.example_id = changed.example_id AND second_scores.run_id = $second
    AND second_scores.scorer = second_scorer
ORDER BY
    abs(second_score - first_score) DESC, second_score - first_score, dataset_order(changed.dataset), task_order(changed.task),
    changed.length, changed.number, changed.example_id
