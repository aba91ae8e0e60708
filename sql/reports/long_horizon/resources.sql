-- title: Tokens and tool calls against score
-- what: Means over tasks and trials: prompt and generated tokens, tool calls and model calls of a task, beside Pass@1 by the
--   exact scorer.
-- paper: HyMem, Figure 3
SELECT
    scores.benchmark,
    scores.model,
    scores.framework,
    scores.variant,
    percent(avg(scores.score)) AS score,
    round(avg(costs.tokens))::BIGINT AS tokens,
    round(avg(costs.tool_calls), 2) AS tool_calls,
    round(avg(costs.turns), 2) AS turns,
    round(avg(costs.folds), 2) AS folds,
    round(avg(costs.unparsed), 2) AS unparsed,
    count(*) AS answers,
    provenance(bool_or(scores.sample)) AS data
FROM agent_task_scores AS scores
LEFT JOIN agent_task_costs AS costs USING (run_id, task_id)
WHERE list_contains($runs::VARCHAR[], scores.run_id) AND scores.scorer = 'gaia'
GROUP BY scores.benchmark, scores.model, scores.framework, scores.variant
ORDER BY scores.benchmark, scores.model, framework_order(scores.framework), scores.variant
