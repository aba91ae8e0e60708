-- title: Cost difference
-- what: Model calls (retries not counted), tokens, tool calls, folds and seconds of waiting for the model of the tasks that both sides finished in
--   every trial: sums over tasks, means over trials; and the second over the first.
-- paper: HyMem, Figure 3
WITH chosen AS (
    SELECT unnest($first::VARCHAR[]) AS run_id, FALSE AS second
    UNION ALL
    SELECT unnest($second::VARCHAR[]), TRUE
),
finished AS (
    SELECT predictions.example_id AS task_id
    FROM predictions
    JOIN chosen USING (run_id)
    GROUP BY ALL
    HAVING count(*) = (SELECT count(*) FROM chosen)
),
totals AS (
    SELECT
        second,
        count(DISTINCT task_id) AS tasks,
        sum(calls) / count(DISTINCT run_id) AS calls,
        sum(retries) / count(DISTINCT run_id) AS retries,
        sum(prompt_tokens) / count(DISTINCT run_id) AS prompt_tokens,
        sum(completion_tokens) / count(DISTINCT run_id) AS completion_tokens,
        sum(cached_tokens) / count(DISTINCT run_id) AS cached_tokens,
        sum(coalesce(tool_calls, 0)) / count(DISTINCT run_id) AS tool_calls,
        sum(coalesce(folds, 0)) / count(DISTINCT run_id) AS folds,
        sum(latency_s) / count(DISTINCT run_id) AS latency_s
    FROM chosen
    JOIN finished ON TRUE
    LEFT JOIN example_costs USING (run_id)
    LEFT JOIN agent_task_costs USING (run_id, task_id)
    WHERE example_costs.example_id = finished.task_id
    GROUP BY second
),
unpivoted AS (
    UNPIVOT totals
    ON calls, retries, prompt_tokens, completion_tokens, cached_tokens, tool_calls, folds, latency_s
    INTO NAME quantity VALUE amount
)
SELECT
    quantity,
    any_value(amount) FILTER (NOT second) AS first_amount,
    any_value(amount) FILTER (second) AS second_amount,
    second_amount - first_amount AS difference,
    round(second_amount / nullif(first_amount, 0), 3) AS ratio,
    max(tasks) AS examples,
    (SELECT provenance(bool_or(sample)) FROM runs JOIN chosen USING (run_id)) AS data
FROM unpivoted
GROUP BY quantity
ORDER BY
    list_position(
        ['calls', 'retries', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'tool_calls', 'folds', 'latency_s'],
        quantity
    )
