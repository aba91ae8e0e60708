-- title: Tasks that flipped
-- what: Tasks that the two sides score differently, greatest change first; losses before gains of the same size; a row for each scorer that sees a change. A score over several trials
--   is their mean, and answers stand in the order of the trials. Answers of gated benchmarks are not shown.
-- paper: no table of its own
WITH by_task AS MATERIALIZED (
    SELECT
        list_contains($second::VARCHAR[], agent_task_scores.run_id) AS second,
        benchmark,
        task_id,
        level,
        agent_task_scores.scorer,
        avg(agent_task_scores.score) AS score,
        to_json(list(coalesce(predictions.raw_answer, 'no answer (' || agent_task_scores.outcome || ')') ORDER BY trial)) AS answers,
        bool_or(sample) AS sample
    FROM agent_task_scores
    LEFT JOIN predictions
        ON predictions.run_id = agent_task_scores.run_id AND predictions.example_id = agent_task_scores.task_id
    WHERE (list_contains($first::VARCHAR[], agent_task_scores.run_id) OR list_contains($second::VARCHAR[], agent_task_scores.run_id))
        AND agent_task_scores.scorer <> 'evidence recall'
    GROUP BY ALL
)
SELECT
    task_id AS example,
    one.benchmark AS dataset,
    agent_tasks.name,
    one.level,
    scorer,
    percent(one.score) AS first_score,
    percent(other.score) AS second_score,
    percent(other.score - one.score) AS difference,
    agent_tasks.question,
    agent_tasks.answer AS expected,
    -- One side of a flip is right, so its answer is the expected one.
    CASE WHEN agent_tasks.gated THEN '["not shown: the texts of this benchmark must not be published"]'::JSON ELSE one.answers END AS first_answers,
    CASE WHEN agent_tasks.gated THEN '["not shown: the texts of this benchmark must not be published"]'::JSON ELSE other.answers END AS second_answers,
    provenance(one.sample OR other.sample) AS data
FROM by_task AS one
JOIN by_task AS other USING (task_id, scorer)
JOIN agent_tasks USING (task_id)
WHERE NOT one.second AND other.second AND abs(other.score - one.score) > 1e-9
ORDER BY
    max(abs(other.score - one.score)) OVER (PARTITION BY task_id) DESC, min(other.score - one.score) OVER (PARTITION BY task_id),
    dataset_order(one.benchmark), one.level, agent_tasks.name, task_id, scorer
