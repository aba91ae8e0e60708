-- title: Calls by role
-- what: What the calls of each role took: memory updates, answers, plans and open questions (controller), thinking. Requests and tokens are
--   sums over runs, retries not counted as calls; seconds are from request to response over all attempts, the mean over runs by calls.
-- paper: no table of its own; the accounting behind Table 3 of the TreeAgent paper
WITH summed AS (
    SELECT
        role_costs.agent,
        role_costs.model,
        role_costs.setup,
        role_costs.dataset,
        role_costs.method,
        role_costs.role,
        sum(role_costs.calls)::BIGINT AS calls,
        sum(role_costs.retries)::BIGINT AS retries,
        sum(role_costs.failed_calls)::BIGINT AS failed,
        sum(role_costs.cut_off)::BIGINT AS cut_off,
        sum(role_costs.prompt_tokens)::BIGINT AS input_tokens,
        sum(role_costs.completion_tokens)::BIGINT AS output_tokens,
        percent(sum(role_costs.cached_tokens) / nullif(sum(role_costs.prompt_tokens), 0)) AS cached,
        round(weighted_mean(role_costs.mean_latency_s, role_costs.calls + role_costs.retries), 2) AS mean_s,
        round(weighted_mean(role_costs.median_latency_s, role_costs.calls + role_costs.retries), 2) AS median_s,
        round(weighted_mean(role_costs.p95_latency_s, role_costs.calls + role_costs.retries), 2) AS p95_s,
        provenance(run_setups.sample) AS data
    FROM role_costs
    JOIN run_setups USING (run_id)
    WHERE list_contains($runs::VARCHAR[], role_costs.run_id)
    GROUP BY ALL
)
FROM summed
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, data, method_order(method), method, role
