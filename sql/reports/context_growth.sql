-- title: Context against task progress (tokens)
-- what: Progress is the share of the events of a task that are done, in tenths. Persistent is the context that lasts for the whole task,
--   HyMem's planner; total adds the largest size so far of every temporary context. Means over tasks.
-- paper: HyMem, Figure 4
WITH chosen AS (
    SELECT * FROM agent_contexts WHERE list_contains($agent_runs::VARCHAR[], run_id)
),
tenths AS (SELECT unnest(range(1, 11)) AS tenth),
-- What a task holds at each tenth is what its last call up to there says.
at_tenth AS (
    SELECT
        run_id,
        task_id,
        tenth,
        arg_max(lasting_tokens, event) AS persistent_tokens,
        arg_max(total_tokens, event) AS total_tokens
    FROM chosen, tenths
    WHERE progress <= tenth / 10 + 1e-9
    GROUP BY run_id, task_id, tenth
)
SELECT
    runs.dataset,
    runs.model,
    runs.agent,
    runs.method,
    (tenth * 10)::INTEGER AS progress,
    round(avg(persistent_tokens))::BIGINT AS persistent_tokens,
    round(avg(total_tokens))::BIGINT AS total_tokens,
    count(*) AS tasks,
    provenance(runs.sample) AS data
FROM at_tenth
JOIN runs USING (run_id)
GROUP BY runs.dataset, runs.model, runs.agent, runs.method, tenth, runs.sample
ORDER BY
    dataset_order(runs.dataset), runs.dataset, runs.model, agent_order(runs.agent), runs.agent, method_order(runs.method),
    runs.method, tenth
