-- title: How tasks ended
-- what: Planned tasks by outcome, over all trials.
-- paper: none
SELECT
    benchmark,
    model,
    framework,
    variant,
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
    provenance(bool_or(sample)) AS data
FROM (SELECT DISTINCT ON (run_id, task_id) * FROM agent_task_scores WHERE list_contains($runs::VARCHAR[], run_id))
GROUP BY benchmark, model, framework, variant
ORDER BY benchmark, model, framework_order(framework), variant
