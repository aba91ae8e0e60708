-- title: Load of the servers
-- what: How busy each server was kept by all runs that asked it, those of long-horizon agents among them. Idle is the share of the time without
--   any call in flight; gaps of more than ten minutes count as interruptions instead. In flight is the mean while there were any calls.
-- paper: no table of its own
SELECT
    load_totals.model,
    load_totals.endpoint,
    load_totals.attempts,
    load_totals.began,
    round(load_totals.busy_s)::BIGINT AS busy_s,
    round(load_totals.idle_s)::BIGINT AS idle_s,
    round(load_totals.interrupted_s)::BIGINT AS interrupted_s,
    percent(load_totals.idle_share) AS idle,
    round(load_totals.in_flight, 2) AS in_flight,
    provenance(bool_or(runs.sample)) AS data
FROM load_totals
JOIN runs ON runs.endpoint = load_totals.endpoint AND runs.model = load_totals.model
WHERE
    load_totals.run_id IS NULL
    AND (list_contains($runs::VARCHAR[], runs.run_id) OR list_contains($agent_runs::VARCHAR[], runs.run_id))
GROUP BY ALL
ORDER BY load_totals.model, load_totals.began, load_totals.endpoint
