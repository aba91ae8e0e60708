-- title: Cost difference
-- what: Model calls (retries not counted), tokens and seconds of the two runs, summed over the examples that both finished, and the second
--   over the first.
-- paper: TreeAgent, Table 3
WITH finished AS (
    SELECT example_id
    FROM predictions
    WHERE run_id IN ($first, $second)
    GROUP BY example_id
    HAVING count(*) = 2
),
totals AS (
    SELECT
        run_id,
        count(*) AS examples,
        sum(calls) AS calls,
        sum(retries) AS retries,
        sum(prompt_tokens) AS prompt_tokens,
        sum(completion_tokens) AS completion_tokens,
        sum(cached_tokens) AS cached_tokens,
        sum(latency_s) AS latency_s
    FROM example_costs
    SEMI JOIN finished USING (example_id)
    WHERE run_id IN ($first, $second)
    GROUP BY run_id
),
unpivoted AS (
    UNPIVOT (
        SELECT
            run_id,
            calls::DOUBLE AS calls,
            retries::DOUBLE AS retries,
            prompt_tokens::DOUBLE AS prompt_tokens,
            completion_tokens::DOUBLE AS completion_tokens,
            cached_tokens::DOUBLE AS cached_tokens,
            latency_s::DOUBLE AS latency_s
        FROM totals
    )
    ON calls, retries, prompt_tokens, completion_tokens, cached_tokens, latency_s
    INTO NAME quantity VALUE amount
)
SELECT
    quantity,
    any_value(amount) FILTER (run_id = $first) AS first_amount,
    any_value(amount) FILTER (run_id = $second) AS second_amount,
    second_amount - first_amount AS difference,
    round(second_amount / nullif(first_amount, 0), 3) AS ratio,
    (SELECT max(examples) FROM totals) AS examples,
    (SELECT provenance(bool_or(sample)) FROM runs WHERE run_id IN ($first, $second)) AS data
FROM unpivoted
GROUP BY quantity
ORDER BY list_position(['calls', 'retries', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'latency_s'], quantity)
