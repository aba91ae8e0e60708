-- title: Outcomes
-- what: How every planned example ended. "stop" is a finished answer, "length" an answer that the limit of generated tokens cut off, scored as it
--   is; "skipped" has no prediction; all others were ended by what the column says. Unscored answers are finished but not scored yet, and
--   count zero until they are.
-- paper: no table of its own; missing answers score zero as in appendix C.4 of the TreeAgent paper
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
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
FROM example_scores
WHERE list_contains($runs::VARCHAR[], run_id)
GROUP BY agent, model, setup, dataset, method, sample
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
