-- title: Context growth and dilution over the course of a task
-- what: Mean tokens of the context that lasts and of all contexts together, and the share of planning-relevant tokens in it, in ten
--   parts of a task's course. HyMem's line is its planner, HyMem-Total all its contexts.
-- paper: HyMem, Figure 4
SELECT
    framework,
    variant,
    least(9, floor(progress * 10))::INTEGER AS tenth,
    round(avg(lasting_tokens))::BIGINT AS lasting_tokens,
    round(avg(total_tokens))::BIGINT AS total_tokens,
    percent(avg(density) FILTER (space IN ('planner', 'flat', 'thread'))) AS density,
    count(*) AS replies,
    provenance(bool_or(sample)) AS data
FROM agent_contexts
WHERE list_contains($runs::VARCHAR[], run_id)
GROUP BY framework, variant, tenth
ORDER BY framework_order(framework), variant, tenth
