-- title: Failed items under two policies
-- what: Here whatever failed counts as wrong: the denominator is the planned examples. The released evaluations of the agents leave out items with
--   an empty output (a failed call ends an item so), so their mean is over the answered examples only and rises with every failure. Both are
--   means over cells of task and length; only the first is used elsewhere in this report.
-- paper: TreeAgent, appendix C.4: an unavailable response receives zero
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    sum(planned)::BIGINT AS planned,
    sum(answered)::BIGINT AS answered,
    percent(avg(score)) AS score,
    percent(avg(upstream_score)) AS upstream_score,
    percent(avg(upstream_score) - avg(score)) AS difference,
    provenance(sample) AS data
FROM upstream_scores
WHERE list_contains($runs::VARCHAR[], run_id)
GROUP BY agent, model, setup, dataset, method, sample
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
