CREATE OR REPLACE VIEW example_costs AS
SELECT
    run_id,
    example_id,
    count(*) FILTER (attempt = 1 AND sent) AS calls,
    count(*) FILTER (attempt > 1 AND sent) AS retries,
    count(*) FILTER (outcome NOT IN ('stop', 'length') AND sent) AS failed_calls,
    coalesce(sum(coalesce(server_prompt_tokens, prompt_tokens)) FILTER (outcome IN ('stop', 'length')), 0)::BIGINT
        AS prompt_tokens,
    coalesce(sum(completion_tokens) FILTER (outcome IN ('stop', 'length')), 0)::BIGINT AS completion_tokens,
    coalesce(sum(cached_tokens) FILTER (outcome IN ('stop', 'length')), 0)::BIGINT AS cached_tokens,
    coalesce(sum(latency_s), 0) AS latency_s,
    min(started_at) AS first_started_at,
    max(started_at) AS last_started_at
-- An overflow that was foreseen was never sent: it has no latency.
FROM (SELECT *, outcome <> 'overflow' OR latency_s IS NOT NULL AS sent FROM model_calls)
GROUP BY run_id, example_id;

COMMENT ON VIEW example_costs IS 'What each example took: requests, retries and tokens, summed over its rows in model_calls';
COMMENT ON COLUMN example_costs.run_id IS 'The run';
COMMENT ON COLUMN example_costs.example_id IS 'The example';
COMMENT ON COLUMN example_costs.calls IS 'Requests sent to the model, retries not counted';
COMMENT ON COLUMN example_costs.retries IS 'Further attempts at the same requests';
COMMENT ON COLUMN example_costs.failed_calls IS 'Attempts that brought no text';
COMMENT ON COLUMN example_costs.prompt_tokens IS 'Prompt tokens of the attempts that brought text: as the server counts, or as counted here where it says nothing';
COMMENT ON COLUMN example_costs.completion_tokens IS 'Generated tokens';
COMMENT ON COLUMN example_costs.cached_tokens IS 'Prompt tokens that the server took from its prefix cache';
COMMENT ON COLUMN example_costs.latency_s IS 'Seconds from request to response, summed over attempts';
COMMENT ON COLUMN example_costs.first_started_at IS 'When the first request was sent (UTC)';
COMMENT ON COLUMN example_costs.last_started_at IS 'When the last request was sent (UTC)';

CREATE OR REPLACE VIEW run_costs AS
SELECT
    run_setups.run_id,
    run_setups.build_id,
    run_setups.setup,
    run_setups.agent,
    run_setups.method,
    run_setups.model,
    run_setups.dataset,
    count(example_costs.example_id) AS examples,
    coalesce(sum(example_costs.calls), 0)::BIGINT AS calls,
    coalesce(sum(example_costs.retries), 0)::BIGINT AS retries,
    coalesce(sum(example_costs.failed_calls), 0)::BIGINT AS failed_calls,
    coalesce(sum(example_costs.prompt_tokens), 0)::BIGINT AS prompt_tokens,
    coalesce(sum(example_costs.completion_tokens), 0)::BIGINT AS completion_tokens,
    coalesce(sum(example_costs.cached_tokens), 0)::BIGINT AS cached_tokens,
    sum(example_costs.calls) / nullif(count(example_costs.example_id), 0) AS calls_per_example,
    sum(example_costs.prompt_tokens) / nullif(count(example_costs.example_id), 0) AS prompt_tokens_per_example,
    sum(example_costs.completion_tokens) / nullif(count(example_costs.example_id), 0) AS completion_tokens_per_example,
    sum(example_costs.cached_tokens) / nullif(sum(example_costs.prompt_tokens), 0) AS cached_share,
    coalesce(sum(example_costs.latency_s), 0) AS latency_s,
    min(example_costs.first_started_at) AS first_started_at,
    max(example_costs.last_started_at) AS last_started_at,
    run_setups.sample
FROM run_setups
LEFT JOIN example_costs USING (run_id)
GROUP BY ALL;

COMMENT ON VIEW run_costs IS 'What each run took: requests and tokens, in total and per example that was started';
COMMENT ON COLUMN run_costs.run_id IS 'The run';
COMMENT ON COLUMN run_costs.build_id IS 'Dataset version';
COMMENT ON COLUMN run_costs.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN run_costs.agent IS 'Memory agent';
COMMENT ON COLUMN run_costs.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN run_costs.model IS 'Model specification';
COMMENT ON COLUMN run_costs.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN run_costs.examples IS 'Examples for which at least one request was sent';
COMMENT ON COLUMN run_costs.calls IS 'Requests to the model, retries not counted';
COMMENT ON COLUMN run_costs.retries IS 'Further attempts at the same requests';
COMMENT ON COLUMN run_costs.failed_calls IS 'Attempts that brought no text';
COMMENT ON COLUMN run_costs.prompt_tokens IS 'Prompt tokens of the attempts that brought text';
COMMENT ON COLUMN run_costs.completion_tokens IS 'Generated tokens';
COMMENT ON COLUMN run_costs.cached_tokens IS 'Prompt tokens that the server took from its prefix cache';
COMMENT ON COLUMN run_costs.calls_per_example IS 'Requests per started example';
COMMENT ON COLUMN run_costs.prompt_tokens_per_example IS 'Prompt tokens per started example';
COMMENT ON COLUMN run_costs.completion_tokens_per_example IS 'Generated tokens per started example';
COMMENT ON COLUMN run_costs.cached_share IS 'Share of the prompt tokens that came from the prefix cache, from 0 to 1';
COMMENT ON COLUMN run_costs.latency_s IS 'Seconds from request to response, summed over attempts (requests run side by side)';
COMMENT ON COLUMN run_costs.first_started_at IS 'When the first request was sent (UTC)';
COMMENT ON COLUMN run_costs.last_started_at IS 'When the last request was sent (UTC)';
COMMENT ON COLUMN run_costs.sample IS 'True for built-in sample data, which supports no claims';
