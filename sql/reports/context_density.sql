-- title: Planning-relevant share of the context
-- what: Share of the tokens of the persistent context that are relevant to planning (equation 3), by turn in that context: mean over the
--   tasks that came so far. HyMem's persistent context is its planner's.
-- paper: HyMem, Figure 1
WITH turns AS (
    SELECT
        run_id,
        task_id,
        row_number() OVER (PARTITION BY run_id, task_id ORDER BY event) AS turn,
        context_tokens,
        density
    FROM agent_contexts
    WHERE list_contains($agent_runs::VARCHAR[], run_id) AND space IN ('planner', 'flat', 'thread')
)
SELECT
    runs.dataset,
    runs.model,
    runs.agent,
    runs.method,
    turns.turn,
    percent(avg(density)) AS density,
    percent(within(avg(density) - half_width(density, 1), 0, 1)) AS low,
    percent(within(avg(density) + half_width(density, 1), 0, 1)) AS high,
    round(avg(context_tokens))::BIGINT AS context_tokens,
    count(*) AS tasks,
    provenance(runs.sample) AS data
FROM turns
JOIN runs USING (run_id)
GROUP BY runs.dataset, runs.model, runs.agent, runs.method, turns.turn, runs.sample
ORDER BY
    dataset_order(runs.dataset), runs.dataset, runs.model, agent_order(runs.agent), runs.agent, method_order(runs.method),
    runs.method, turn
