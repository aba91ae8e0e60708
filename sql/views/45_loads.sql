-- What the calls of each role took, how busy a run kept its server, and what upstream's way of counting would give.
CREATE OR REPLACE VIEW role_costs AS
SELECT
    run_setups.run_id,
    run_setups.setup,
    run_setups.agent,
    run_setups.method,
    run_setups.model,
    run_setups.dataset,
    role,
    count(*) FILTER (attempt = 1 AND sent) AS calls,
    count(*) FILTER (attempt > 1 AND sent) AS retries,
    count(*) FILTER (outcome NOT IN ('stop', 'length') AND sent) AS failed_calls,
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
FROM (SELECT *, outcome <> 'overflow' OR latency_s IS NOT NULL AS sent FROM model_calls)
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
COMMENT ON COLUMN role_costs.calls IS 'Requests sent, retries not counted';
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

-- Every call with the time it was in flight, twice: for its run, and for all runs together at one address.
CREATE OR REPLACE VIEW call_times AS
WITH sent AS (
    SELECT
        call_id,
        run_id,
        endpoint,
        model,
        started_at AS began,
        started_at + to_microseconds((greatest(latency_s, 0) * 1e6)::BIGINT) AS ended
    FROM model_calls
    JOIN runs USING (run_id)
    WHERE latency_s IS NOT NULL
)
FROM sent
UNION ALL
SELECT * REPLACE (NULL AS run_id) FROM sent;

COMMENT ON VIEW call_times IS 'When each attempt was in flight; once for its run, and once with run_id null, for all runs at its endpoint';
COMMENT ON COLUMN call_times.call_id IS 'The attempt';
COMMENT ON COLUMN call_times.run_id IS 'The run; null in the rows that stand for all runs together';
COMMENT ON COLUMN call_times.endpoint IS 'Server: its address or, if it was started for the run, what it is and on which machine';
COMMENT ON COLUMN call_times.model IS 'Model specification';
COMMENT ON COLUMN call_times.began IS 'When it was sent (UTC)';
COMMENT ON COLUMN call_times.ended IS 'When its response had arrived, or it was given up (UTC)';

-- Times in which at least one call was in flight, merged where calls overlap: one begins with each call that starts after all calls
-- before it have ended, and ends when the last of those before the next such call does. No such call can start within a second that
-- calls from before it outlast, so that only the calls of other seconds, few of many millions, have to be put in order.
CREATE OR REPLACE VIEW busy_times AS
WITH seconds AS (
    SELECT run_id, endpoint, model, date_trunc('second', began) AS second, max(ended) AS ended, count(*) AS calls
    FROM call_times
    GROUP BY run_id, endpoint, model, date_trunc('second', began)
),
outlasted AS (
    SELECT
        *,
        max(ended) OVER (
            PARTITION BY run_id, endpoint, model ORDER BY second ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS ended_before,
        sum(calls) OVER (PARTITION BY run_id, endpoint, model ORDER BY second ROWS UNBOUNDED PRECEDING) - calls AS calls_before,
        max(ended) OVER (PARTITION BY run_id, endpoint, model) AS all_ended,
        sum(calls) OVER (PARTITION BY run_id, endpoint, model) AS all_calls
    FROM seconds
),
placed AS (
    SELECT
        call_times.run_id,
        call_times.endpoint,
        call_times.model,
        call_times.began,
        greatest(outlasted.ended_before, max(call_times.ended) OVER earlier) AS ended_before,
        outlasted.calls_before + row_number() OVER calls AS place,
        outlasted.all_ended,
        outlasted.all_calls
    FROM call_times
    JOIN outlasted
        ON outlasted.second = date_trunc('second', call_times.began)
        AND outlasted.endpoint = call_times.endpoint
        AND outlasted.model = call_times.model
        AND outlasted.run_id IS NOT DISTINCT FROM call_times.run_id
    WHERE outlasted.ended_before IS NULL OR outlasted.ended_before < outlasted.second + INTERVAL 1 SECOND
    WINDOW
        calls AS (
            PARTITION BY call_times.run_id, call_times.endpoint, call_times.model, outlasted.second
            ORDER BY call_times.began
        ),
        earlier AS (
            PARTITION BY call_times.run_id, call_times.endpoint, call_times.model, outlasted.second
            ORDER BY call_times.began ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
)
SELECT
    run_id,
    endpoint,
    model,
    row_number() OVER following AS number,
    began,
    coalesce(lead(ended_before) OVER following, all_ended) AS ended,
    (coalesce(lead(place) OVER following, all_calls + 1) - place)::BIGINT AS calls
FROM placed
WHERE ended_before IS NULL OR began > ended_before
WINDOW following AS (PARTITION BY run_id, endpoint, model ORDER BY began);

COMMENT ON VIEW busy_times IS 'Times in which at least one call was in flight, of a run, and (run_id null) of all runs at one endpoint';
COMMENT ON COLUMN busy_times.run_id IS 'The run; null in the rows that stand for all runs together';
COMMENT ON COLUMN busy_times.endpoint IS 'Server: its address or, if it was started for the run, what it is and on which machine';
COMMENT ON COLUMN busy_times.model IS 'Model specification';
COMMENT ON COLUMN busy_times.number IS 'Number of the time within the run or at the endpoint, from 1';
COMMENT ON COLUMN busy_times.began IS 'When it began (UTC)';
COMMENT ON COLUMN busy_times.ended IS 'When it ended (UTC)';
COMMENT ON COLUMN busy_times.calls IS 'Attempts within it';

-- A gap of more than ten minutes is no idleness of a server: nothing was going on then.
CREATE OR REPLACE VIEW working_times AS
WITH gaps AS (
    SELECT
        *,
        coalesce(epoch(began - lag(ended) OVER (PARTITION BY run_id, endpoint, model ORDER BY number)), 0) AS gap_s
    FROM busy_times
),
numbered AS (
    SELECT
        * EXCLUDE (number),
        sum((gap_s > 600)::INTEGER) OVER (
            PARTITION BY run_id, endpoint, model ORDER BY number ROWS UNBOUNDED PRECEDING
        ) + 1 AS number
    FROM gaps
)
SELECT
    run_id,
    endpoint,
    model,
    number,
    min(began) AS began,
    max(ended) AS ended,
    sum(calls)::BIGINT AS calls,
    sum(epoch(ended - began)) AS busy_s,
    coalesce(sum(gap_s) FILTER (gap_s <= 600), 0) AS idle_s,
    coalesce(sum(gap_s) FILTER (gap_s > 600), 0) AS interrupted_s
FROM numbered
GROUP BY run_id, endpoint, model, number;

COMMENT ON VIEW working_times IS 'Times without a gap of more than ten minutes between calls, of a run, and (run_id null) of all runs at one endpoint';
COMMENT ON COLUMN working_times.run_id IS 'The run; null in the rows that stand for all runs together';
COMMENT ON COLUMN working_times.endpoint IS 'Server: its address or, if it was started for the run, what it is and on which machine';
COMMENT ON COLUMN working_times.model IS 'Model specification';
COMMENT ON COLUMN working_times.number IS 'Number of the time within the run or at the endpoint, from 1';
COMMENT ON COLUMN working_times.began IS 'When it began (UTC)';
COMMENT ON COLUMN working_times.ended IS 'When it ended (UTC)';
COMMENT ON COLUMN working_times.calls IS 'Attempts within it';
COMMENT ON COLUMN working_times.busy_s IS 'Seconds with at least one call in flight';
COMMENT ON COLUMN working_times.idle_s IS 'Seconds without one';
COMMENT ON COLUMN working_times.interrupted_s IS 'Seconds of the interruption before it; 0 for the first';

CREATE OR REPLACE VIEW load_totals AS
WITH times AS (
    SELECT
        run_id,
        endpoint,
        model,
        sum(calls)::BIGINT AS attempts,
        sum(busy_s) AS busy_s,
        sum(idle_s) AS idle_s,
        sum(interrupted_s) AS interrupted_s,
        min(began) AS began,
        max(ended) AS ended
    FROM working_times
    GROUP BY run_id, endpoint, model
),
flown AS (
    SELECT run_id, endpoint, model, sum(epoch(ended - began)) AS flight_s FROM call_times GROUP BY run_id, endpoint, model
)
SELECT
    times.*,
    times.idle_s / nullif(times.busy_s + times.idle_s, 0) AS idle_share,
    flown.flight_s / nullif(times.busy_s, 0) AS in_flight
FROM times
JOIN flown
    ON flown.endpoint = times.endpoint AND flown.model = times.model AND flown.run_id IS NOT DISTINCT FROM times.run_id;

COMMENT ON VIEW load_totals IS 'How busy a server was kept by a run, and (run_id null) by all runs at its endpoint together';
COMMENT ON COLUMN load_totals.run_id IS 'The run; null in the rows that stand for all runs together';
COMMENT ON COLUMN load_totals.endpoint IS 'Server: its address or, if it was started for the run, what it is and on which machine';
COMMENT ON COLUMN load_totals.model IS 'Model specification';
COMMENT ON COLUMN load_totals.attempts IS 'Attempts at requests';
COMMENT ON COLUMN load_totals.busy_s IS 'Seconds with at least one call in flight';
COMMENT ON COLUMN load_totals.idle_s IS 'Seconds without one, in gaps of at most ten minutes';
COMMENT ON COLUMN load_totals.interrupted_s IS 'Seconds in longer gaps: nothing was going on then';
COMMENT ON COLUMN load_totals.began IS 'When the first call was sent (UTC)';
COMMENT ON COLUMN load_totals.ended IS 'When the last call had ended (UTC)';
COMMENT ON COLUMN load_totals.idle_share IS 'Share of idle seconds, interruptions left out, from 0 to 1';
COMMENT ON COLUMN load_totals.in_flight IS 'Mean calls in flight while there were any';

CREATE OR REPLACE VIEW load_minutes AS
WITH worked AS (
    SELECT
        *,
        unnest(generate_series(date_trunc('minute', began), ended, INTERVAL 1 MINUTE)) AS minute
    FROM working_times
),
going AS (
    SELECT
        run_id,
        endpoint,
        model,
        minute,
        sum(epoch(least(ended, minute + INTERVAL 1 MINUTE) - greatest(began, minute))) AS seconds
    FROM worked
    GROUP BY run_id, endpoint, model, minute
),
busy AS (
    SELECT
        run_id,
        endpoint,
        model,
        minute,
        sum(epoch(least(ended, minute + INTERVAL 1 MINUTE) - greatest(began, minute))) AS busy_s
    FROM (
        SELECT *, unnest(generate_series(date_trunc('minute', began), ended, INTERVAL 1 MINUTE)) AS minute FROM busy_times
    )
    GROUP BY run_id, endpoint, model, minute
),
-- Most calls end in the minute in which they start; the others are in flight in later ones as well.
flights AS (
    SELECT
        run_id,
        endpoint,
        model,
        date_trunc('minute', began) AS minute,
        count(*) AS started,
        sum(epoch(least(ended, date_trunc('minute', began) + INTERVAL 1 MINUTE) - began)) AS flight_s
    FROM call_times
    GROUP BY run_id, endpoint, model, date_trunc('minute', began)
    UNION ALL
    SELECT run_id, endpoint, model, minute, 0, sum(epoch(least(ended, minute + INTERVAL 1 MINUTE) - minute))
    FROM (
        SELECT
            *,
            unnest(
                generate_series(date_trunc('minute', began) + INTERVAL 1 MINUTE, ended, INTERVAL 1 MINUTE)
            ) AS minute
        FROM call_times
        WHERE ended >= date_trunc('minute', began) + INTERVAL 1 MINUTE
    )
    GROUP BY run_id, endpoint, model, minute
),
flown AS (
    SELECT run_id, endpoint, model, minute, sum(started)::BIGINT AS started, sum(flight_s) AS flight_s
    FROM flights
    GROUP BY run_id, endpoint, model, minute
)
SELECT
    going.run_id,
    going.endpoint,
    going.model,
    going.minute,
    going.seconds,
    coalesce(flown.started, 0) AS started,
    coalesce(flown.flight_s, 0) / nullif(going.seconds, 0) AS in_flight,
    1 - coalesce(busy.busy_s, 0) / nullif(going.seconds, 0) AS idle_share
FROM going
LEFT JOIN busy
    ON busy.minute = going.minute
    AND busy.endpoint = going.endpoint
    AND busy.model = going.model
    AND busy.run_id IS NOT DISTINCT FROM going.run_id
LEFT JOIN flown
    ON flown.minute = going.minute
    AND flown.endpoint = going.endpoint
    AND flown.model = going.model
    AND flown.run_id IS NOT DISTINCT FROM going.run_id;

COMMENT ON VIEW load_minutes IS 'Concurrency and idle share minute by minute, of a run, and (run_id null) of all runs at one endpoint';
COMMENT ON COLUMN load_minutes.run_id IS 'The run; null in the rows that stand for all runs together';
COMMENT ON COLUMN load_minutes.endpoint IS 'Server: its address or, if it was started for the run, what it is and on which machine';
COMMENT ON COLUMN load_minutes.model IS 'Model specification';
COMMENT ON COLUMN load_minutes.minute IS 'Start of the minute (UTC); those within interruptions are left out';
COMMENT ON COLUMN load_minutes.seconds IS 'Seconds of it in which work was going on: 60 but for the first and last minute';
COMMENT ON COLUMN load_minutes.started IS 'Attempts that started in it';
COMMENT ON COLUMN load_minutes.in_flight IS 'Mean calls in flight over these seconds';
COMMENT ON COLUMN load_minutes.idle_share IS 'Share of these seconds without any call in flight, from 0 to 1';

-- The released evaluations leave out items whose output is empty: whatever failed, and answers without any text.
CREATE OR REPLACE VIEW upstream_scores AS
WITH judged AS (
    SELECT
        example_scores.*,
        example_scores.outcome IN ('stop', 'length') AND trim(coalesce(predictions.raw_answer, '')) <> '' AS answered
    FROM example_scores
    LEFT JOIN predictions
        ON predictions.run_id = example_scores.run_id AND predictions.example_id = example_scores.example_id
),
of_cells AS (
    SELECT
        run_id,
        setup,
        agent,
        method,
        model,
        dataset,
        task,
        length,
        sample,
        count(*) AS planned,
        count(*) FILTER (answered) AS answered,
        avg(score) AS score,
        avg(score) FILTER (answered) AS upstream_score
    FROM judged
    GROUP BY ALL
)
SELECT
    run_id,
    setup,
    agent,
    method,
    model,
    dataset,
    sum(planned)::BIGINT AS planned,
    sum(answered)::BIGINT AS answered,
    avg(score) AS score,
    avg(upstream_score) AS upstream_score,
    bool_or(sample) AS sample
FROM of_cells
GROUP BY run_id, setup, agent, method, model, dataset;

COMMENT ON VIEW upstream_scores IS 'The score of each run beside what the released evaluations report, which drop items without an answer';
COMMENT ON COLUMN upstream_scores.run_id IS 'The run';
COMMENT ON COLUMN upstream_scores.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN upstream_scores.agent IS 'Memory agent';
COMMENT ON COLUMN upstream_scores.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN upstream_scores.model IS 'Model specification';
COMMENT ON COLUMN upstream_scores.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN upstream_scores.planned IS 'Planned examples: the denominator of the score';
COMMENT ON COLUMN upstream_scores.answered IS 'Examples with an answer that is not empty: the denominator upstream';
COMMENT ON COLUMN upstream_scores.score IS 'Mean over cells of the mean over planned examples, failed ones counted as wrong; from 0 to 1';
COMMENT ON COLUMN upstream_scores.upstream_score IS 'Mean over cells of the mean over answered examples only; null where there is none';
COMMENT ON COLUMN upstream_scores.sample IS 'True for built-in sample data, which supports no claims';
