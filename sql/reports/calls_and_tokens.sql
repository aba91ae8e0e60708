-- title: Model calls and tokens
-- what: Per started example, retries not counted as calls; tokens as the server counts them, chat template included. Ratios are cumulative
--   quantities of the method over those of Flat, on the examples that both finished.
-- paper: TreeAgent, Table 3
WITH per_example AS (
    SELECT
        run_setups.build_id,
        run_setups.setup,
        run_setups.agent,
        run_setups.model,
        run_setups.method,
        run_setups.dataset,
        run_setups.sample,
        example_costs.example_id,
        avg(example_costs.calls) AS calls,
        avg(example_costs.retries) AS retries,
        avg(example_costs.prompt_tokens) AS prompt_tokens,
        avg(example_costs.completion_tokens) AS completion_tokens,
        avg(example_costs.cached_tokens) AS cached_tokens,
        avg(example_costs.latency_s) AS latency_s,
        bool_and(predictions.run_id IS NOT NULL) AS done
    FROM example_costs
    JOIN run_setups USING (run_id)
    LEFT JOIN predictions
        ON predictions.run_id = example_costs.run_id AND predictions.example_id = example_costs.example_id
    WHERE list_contains($runs::VARCHAR[], example_costs.run_id)
    GROUP BY ALL
),
totals AS (
    SELECT
        agent,
        model,
        setup,
        dataset,
        method,
        sample,
        count(*) AS examples,
        sum(calls) AS calls,
        sum(retries) AS retries,
        sum(prompt_tokens) AS prompt_tokens,
        sum(completion_tokens) AS completion_tokens,
        sum(cached_tokens) AS cached_tokens,
        sum(latency_s) AS latency_s
    FROM per_example
    GROUP BY ALL
),
ratios AS (
    SELECT
        other.agent,
        other.model,
        other.setup,
        other.dataset,
        other.method,
        other.sample,
        count(*) AS compared,
        sum(other.calls) / nullif(sum(flat.calls), 0) AS calls_ratio,
        sum(other.prompt_tokens) / nullif(sum(flat.prompt_tokens), 0) AS input_ratio
    FROM per_example AS other
    JOIN per_example AS flat
        ON flat.method = 'flat'
        AND flat.build_id = other.build_id
        AND flat.setup = other.setup
        AND flat.agent = other.agent
        AND flat.example_id = other.example_id
    WHERE other.method <> 'flat' AND other.done AND flat.done
    GROUP BY ALL
)
SELECT
    totals.agent,
    totals.model,
    totals.setup,
    totals.dataset,
    totals.method,
    totals.examples,
    round(totals.calls / nullif(totals.examples, 0), 2) AS calls,
    round(totals.prompt_tokens / nullif(totals.examples, 0))::BIGINT AS input_tokens,
    round(totals.completion_tokens / nullif(totals.examples, 0))::BIGINT AS output_tokens,
    percent(totals.cached_tokens / nullif(totals.prompt_tokens, 0)) AS cached,
    round(totals.latency_s / nullif(totals.calls, 0), 2) AS call_seconds,
    totals.retries::BIGINT AS retries,
    round(ratios.calls_ratio, 3) AS calls_ratio,
    round(ratios.input_ratio, 3) AS input_ratio,
    ratios.compared,
    provenance(totals.sample) AS data
FROM totals
LEFT JOIN ratios USING (agent, model, setup, dataset, method, sample)
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
