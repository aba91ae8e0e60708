-- title: Outcomes
-- what: How every planned example, and every task of every trial of long-horizon agents, ended. "stop" is a finished answer, "length" an answer that
--   the limit of generated tokens cut off, scored as it is; "skipped" has no prediction; all others were ended by what the column says. Unscored
--   answers are finished but not scored yet, and count zero until they are.
-- paper: no table of its own; missing answers score zero as in appendix C.4 of the TreeAgent paper
WITH ended AS (
    SELECT run_id, agent, model, setup, dataset, method, outcome, scored, sample
    FROM example_scores
    WHERE list_contains($runs::VARCHAR[], run_id)
    UNION ALL
    SELECT * EXCLUDE (task_id)
    FROM (
        SELECT
            run_id,
            framework,
            model,
            setup,
            benchmark,
            variant,
            outcome,
            bool_or(scorer_version IS NOT NULL AND scorer <> 'evidence recall') AS scored,
            sample,
            task_id
        FROM agent_task_scores
        WHERE list_contains($agent_runs::VARCHAR[], run_id)
        GROUP BY ALL
    )
)
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    count(DISTINCT run_id) AS runs,
    count(*) AS planned,
    count(*) FILTER (outcome = 'stop') AS stop,
    count(*) FILTER (outcome = 'length') AS length,
    count(*) FILTER (outcome = 'overflow') AS overflow,
    count(*) FILTER (outcome = 'server_error') AS server_error,
    count(*) FILTER (outcome = 'timeout') AS timeout,
    count(*) FILTER (outcome = 'aborted') AS aborted,
    count(*) FILTER (outcome = 'parse_error') AS parse_error,
    count(*) FILTER (outcome = 'tool_error') AS tool_error,
    count(*) FILTER (outcome = 'budget') AS budget,
    count(*) FILTER (outcome = 'skipped') AS skipped,
    count(*) FILTER (outcome = 'stop' AND NOT scored) AS unscored,
    provenance(sample) AS data
FROM ended
GROUP BY agent, model, setup, dataset, method, sample
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
