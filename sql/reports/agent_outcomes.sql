-- title: Outcomes of long-horizon agents
-- what: How every planned task of every trial ended. "stop" is a finished answer, "length" an answer that the limit of generated tokens cut off,
--   "skipped" has no answer yet; all others were ended by what the column says. Unscored answers count zero until they are scored.
-- paper: no table of its own
WITH ended AS (
    SELECT
        benchmark,
        framework,
        variant,
        model,
        setup,
        run_id,
        task_id,
        outcome,
        bool_or(scorer_version IS NOT NULL AND scorer <> 'evidence recall') AS scored,
        sample
    FROM agent_task_scores
    WHERE list_contains($agent_runs::VARCHAR[], run_id)
    GROUP BY ALL
)
SELECT
    framework AS agent,
    model,
    setup,
    benchmark AS dataset,
    variant AS method,
    count(DISTINCT run_id) AS trials,
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
GROUP BY framework, model, setup, benchmark, variant, sample
ORDER BY dataset_order(benchmark), benchmark, model, agent_order(framework), framework, method_order(variant), variant, setup, sample
