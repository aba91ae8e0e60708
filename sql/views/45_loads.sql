-- What the calls of each role took, how busy a run kept its server, and what upstream's way of counting would give.
CREATE OR REPLACE VIEW role_costs AS
SELECT
    run_setups.run_id,
    run_setups.setup,
    run_setups.agent,
    run_setups.method,
    run_setups.model,
    run_setups.dataset,
    model_calls.role,
    count(*) FILTER (attempt = 1) AS calls,
    count(*) FILTER (attempt > 1) AS retries,
    count(*) FILTER (outcome NOT IN ('stop', 'length')) AS failed_calls,
    count(*) FILTER (outcome = 'length') AS cut_off,
    coalesce(sum(coalesce(server_prompt_tokens, prompt_tokens)) FILTER (outcome IN ('stop', 'length')), 0)::BIGINT
        AS prompt_tokens,
    coalesce(sum(completion_tokens) FILTER (outcome IN ('stop', 'length')), 0)::BIGINT AS completion_tokens,
    coalesce(sum(cached_tokens) FILTER (outcome IN ('stop', 'length')), 0)::BIGINT AS cached_tokens,
    sum(cached_tokens) FILTER (outcome IN ('stop', 'length'))
        / nullif(sum(coalesce(server_prompt_tokens, prompt_tokens)) FILTER (outcome IN ('stop', 'length')), 0)
        AS cached_share,
    avg(latency_s) AS mean_latency_s,
    quantile_cont(latency_s, 0.5) AS median_latency_s,
    quantile_cont(latency_s, 0.95) AS p95_latency_s
FROM model_calls
JOIN run_setups USING (run_id)
GROUP BY ALL;

COMMENT ON VIEW role_costs IS 'What the calls of each role took: memory updates, answers, plans, thinking';
COMMENT ON COLUMN role_costs.run_id IS 'The run';
COMMENT ON COLUMN role_costs.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN role_costs.agent IS 'Memory agent';
COMMENT ON COLUMN role_costs.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN role_costs.model IS 'Model specification';
COMMENT ON COLUMN role_costs.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN role_costs.role IS 'What the calls are for';
COMMENT ON COLUMN role_costs.calls IS 'Requests, retries not counted';
COMMENT ON COLUMN role_costs.retries IS 'Further attempts at the same requests';
COMMENT ON COLUMN role_costs.failed_calls IS 'Attempts that brought no text';
COMMENT ON COLUMN role_costs.cut_off IS 'Replies that the token limit cut off';
COMMENT ON COLUMN role_costs.prompt_tokens IS 'Prompt tokens of the attempts that brought text';
COMMENT ON COLUMN role_costs.completion_tokens IS 'Generated tokens';
COMMENT ON COLUMN role_costs.cached_tokens IS 'Prompt tokens that the server took from its prefix cache';
COMMENT ON COLUMN role_costs.cached_share IS 'Their share of the prompt tokens, from 0 to 1; null where the server does not say';
COMMENT ON COLUMN role_costs.mean_latency_s IS 'Mean seconds from request to response';
COMMENT ON COLUMN role_costs.median_latency_s IS 'Median seconds from request to response';
COMMENT ON COLUMN role_costs.p95_latency_s IS 'Seconds within which 95 of 100 requests were answered';

-- Times in which at least one call of a run was in flight, merged where calls overlap.
CREATE OR REPLACE VIEW busy_times AS
WITH calls AS (
    SELECT run_id, started_at AS began, started_at + to_microseconds((latency_s * 1e6)::BIGINT) AS ended
    FROM model_calls
    WHERE latency_s IS NOT NULL
),
marked AS (
    SELECT
        *,
        coalesce(
            began > max(ended) OVER (
                PARTITION BY run_id ORDER BY began, ended ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ),
            TRUE
        ) AS starts
    FROM calls
),
numbered AS (
    SELECT *, sum(starts::INTEGER) OVER (PARTITION BY run_id ORDER BY began, ended ROWS UNBOUNDED PRECEDING) AS number
    FROM marked
)
SELECT run_id, number, min(began) AS began, max(ended) AS ended, count(*) AS calls
FROM numbered
GROUP BY run_id, number;

COMMENT ON VIEW busy_times IS 'Times in which at least one call of a run was in flight; between two of them its server was idle';
COMMENT ON COLUMN busy_times.run_id IS 'The run';
COMMENT ON COLUMN busy_times.number IS 'Number of the time within the run, from 1';
COMMENT ON COLUMN busy_times.began IS 'When it began (UTC)';
COMMENT ON COLUMN busy_times.ended IS 'When it ended (UTC)';
COMMENT ON COLUMN busy_times.calls IS 'Attempts within it';

CREATE OR REPLACE VIEW run_loads AS
WITH gaps AS (
    SELECT
        run_id,
        began,
        ended,
        calls,
        coalesce(epoch(began - lag(ended) OVER (PARTITION BY run_id ORDER BY began)), 0) AS gap_s
    FROM busy_times
),
times AS (
    SELECT
        run_id,
        sum(calls)::BIGINT AS attempts,
        sum(epoch(ended - began)) AS busy_s,
        coalesce(sum(gap_s) FILTER (gap_s <= 600), 0) AS idle_s,
        coalesce(sum(gap_s) FILTER (gap_s > 600), 0) AS interrupted_s
    FROM gaps
    GROUP BY run_id
),
served AS (SELECT run_id, sum(latency_s) AS latency_s FROM model_calls GROUP BY run_id)
SELECT
    times.run_id,
    times.attempts,
    times.busy_s,
    times.idle_s,
    times.interrupted_s,
    times.idle_s / nullif(times.busy_s + times.idle_s, 0) AS idle_share,
    served.latency_s / nullif(times.busy_s, 0) AS in_flight
FROM times
JOIN served USING (run_id);

COMMENT ON VIEW run_loads IS 'How busy a run kept its server';
COMMENT ON COLUMN run_loads.run_id IS 'The run';
COMMENT ON COLUMN run_loads.attempts IS 'Attempts at requests';
COMMENT ON COLUMN run_loads.busy_s IS 'Seconds with at least one call in flight';
COMMENT ON COLUMN run_loads.idle_s IS 'Seconds without one, in gaps of at most ten minutes';
COMMENT ON COLUMN run_loads.interrupted_s IS 'Seconds in longer gaps: the run was not going on then';
COMMENT ON COLUMN run_loads.idle_share IS 'Share of idle seconds, interruptions left out, from 0 to 1';
COMMENT ON COLUMN run_loads.in_flight IS 'Mean calls in flight while there were any';

CREATE OR REPLACE VIEW run_minutes AS
WITH minutes AS (
    SELECT run_id, began, ended, unnest(generate_series(date_trunc('minute', began), ended, INTERVAL 1 MINUTE)) AS minute
    FROM busy_times
),
busy AS (
    SELECT
        run_id,
        minute,
        sum(greatest(epoch(least(ended, minute + INTERVAL 1 MINUTE) - greatest(began, minute)), 0)) AS busy_s
    FROM minutes
    GROUP BY run_id, minute
),
called AS (
    SELECT
        run_id,
        started_at,
        started_at + to_microseconds((latency_s * 1e6)::BIGINT) AS ended,
        unnest(
            generate_series(
                date_trunc('minute', started_at),
                started_at + to_microseconds((latency_s * 1e6)::BIGINT),
                INTERVAL 1 MINUTE
            )
        ) AS minute
    FROM model_calls
    WHERE latency_s IS NOT NULL
),
flights AS (
    SELECT
        run_id,
        minute,
        count(*) FILTER (started_at >= minute) AS started,
        sum(greatest(epoch(least(ended, minute + INTERVAL 1 MINUTE) - greatest(started_at, minute)), 0)) AS flight_s
    FROM called
    GROUP BY run_id, minute
)
SELECT run_id, minute, started, flight_s / 60 AS in_flight, 1 - least(busy_s / 60, 1) AS idle_share
FROM flights
JOIN busy USING (run_id, minute);

COMMENT ON VIEW run_minutes IS 'Concurrency and idle share of a run over time; minutes without any call are left out';
COMMENT ON COLUMN run_minutes.run_id IS 'The run';
COMMENT ON COLUMN run_minutes.minute IS 'Start of the minute (UTC)';
COMMENT ON COLUMN run_minutes.started IS 'Attempts that started in it';
COMMENT ON COLUMN run_minutes.in_flight IS 'Mean calls in flight over the minute';
COMMENT ON COLUMN run_minutes.idle_share IS 'Share of the minute without any call in flight, from 0 to 1';

CREATE OR REPLACE VIEW upstream_scores AS
SELECT
    run_id,
    agent,
    method,
    dataset,
    count(*) AS planned,
    count(*) FILTER (outcome IN ('stop', 'length')) AS answered,
    weighted_mean(score, weight) AS score,
    avg(score) FILTER (outcome IN ('stop', 'length')) AS upstream_score
FROM example_scores
GROUP BY run_id, agent, method, dataset;

COMMENT ON VIEW upstream_scores IS 'The score of each run beside what the released evaluations report, which drop items without an answer';
COMMENT ON COLUMN upstream_scores.run_id IS 'The run';
COMMENT ON COLUMN upstream_scores.agent IS 'Memory agent';
COMMENT ON COLUMN upstream_scores.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN upstream_scores.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN upstream_scores.planned IS 'Planned examples: the denominator of the score';
COMMENT ON COLUMN upstream_scores.answered IS 'Examples with an answer: the denominator upstream';
COMMENT ON COLUMN upstream_scores.score IS 'Score over planned examples, failed ones counted as wrong; from 0 to 1';
COMMENT ON COLUMN upstream_scores.upstream_score IS 'Mean over the answered examples only; null where there is none';
