-- title: Tokens and tool calls against score
-- what: Mean tokens (prompts and replies of all calls) and tool calls of a task, beside Pass@1 (%) with its normal 95 % interval.
-- paper: HyMem, Figure 3
WITH by_task AS (
    SELECT
        benchmark,
        model,
        setup,
        framework AS agent,
        variant AS method,
        scorer,
        task_id,
        avg(score) AS score,
        avg(tokens) AS tokens,
        avg(turns) AS calls,
        avg(tool_calls) AS tool_calls,
        avg(folds) AS folds,
        bool_and(outcome <> 'skipped') AS done,
        sample
    FROM agent_task_scores
    LEFT JOIN agent_task_costs USING (run_id, task_id)
    WHERE list_contains($agent_runs::VARCHAR[], run_id) AND scorer IS DISTINCT FROM 'evidence recall'
    GROUP BY ALL
)
SELECT
    benchmark AS dataset,
    model,
    setup,
    agent,
    method,
    scorer,
    percent(avg(score)) AS score,
    percent(within(avg(score) - half_width(score, 1), 0, 1)) AS low,
    percent(within(avg(score) + half_width(score, 1), 0, 1)) AS high,
    round(avg(tokens))::BIGINT AS tokens,
    round(avg(calls), 2) AS calls,
    round(avg(tool_calls), 2) AS tool_calls,
    round(avg(folds), 2) AS folds,
    count(*) AS planned,
    count(*) FILTER (done) AS done,
    provenance(sample) AS data
FROM by_task
GROUP BY benchmark, model, setup, agent, method, scorer, sample
ORDER BY dataset_order(benchmark), benchmark, model, scorer, agent_order(agent), agent, method_order(method), method, setup
