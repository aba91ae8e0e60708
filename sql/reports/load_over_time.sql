-- title: Load over time
-- what: Calls in flight and idle share of each server, from all runs that asked it. A row is the same number of minutes in all of a table, so
--   many that there are at most 240 rows for a server; interruptions of more than ten minutes are left out.
-- paper: no figure of its own
WITH asked AS (
    SELECT endpoint, model, bool_or(sample) AS sample
    FROM runs
    WHERE list_contains($runs::VARCHAR[], run_id) OR list_contains($agent_runs::VARCHAR[], run_id)
    GROUP BY endpoint, model
),
chosen AS (
    SELECT load_minutes.*, asked.sample
    FROM load_minutes
    JOIN asked ON asked.endpoint = load_minutes.endpoint AND asked.model = load_minutes.model
    WHERE load_minutes.run_id IS NULL AND load_minutes.seconds > 0
),
steps AS (
    SELECT max(ceil(minutes / 240))::BIGINT AS step
    FROM (SELECT count(*) AS minutes FROM chosen GROUP BY endpoint, model)
)
SELECT
    model,
    endpoint,
    min(minute) AS minute,
    any_value(step) AS minutes,
    sum(started)::BIGINT AS started,
    round(sum(in_flight * seconds) / sum(seconds), 2) AS in_flight,
    percent(sum(idle_share * seconds) / sum(seconds)) AS idle,
    provenance(sample) AS data
FROM chosen
CROSS JOIN steps
GROUP BY model, endpoint, sample, epoch(minute)::BIGINT // (60 * step)
ORDER BY model, endpoint, minute
