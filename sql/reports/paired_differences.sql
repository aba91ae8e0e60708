-- title: Paired differences from Flat (percentage points)
-- what: Method minus Flat on the same planned examples, with normal 95 % intervals of the paired difference: over examples as if each
--   were independent, as in the paper, and clustered by context, where examples that share one count as one draw (for ten contexts or more). None where
--   there are fewer than two, or all differ alike. Better, equal and worse count examples. The last rows pool agents, each with equal weight.
-- paper: TreeAgent, Table 4
WITH pairs AS MATERIALIZED (FROM paired_of($runs::VARCHAR[])),
-- Agents are pooled only where each has one setup with this method, all on the same planned examples.
pooled AS (
    SELECT method, dataset, sample, count(DISTINCT agent) AS agents
    FROM pairs
    GROUP BY method, dataset, sample
    HAVING agents > 1
        AND agents = count(DISTINCT (agent, model, setup))
        AND agents * count(DISTINCT example_id) = count(*)
        AND agents = (SELECT count(DISTINCT agent) FROM pairs)
),
every_pair AS (
    SELECT 1 AS part, * FROM pairs
    UNION ALL BY NAME
    SELECT 2 AS part, 'mean of ' || agents || ' agents' AS agent, '' AS model, '' AS setup,
        * EXCLUDE (agent, model, setup, agents)
    FROM pairs
    JOIN pooled USING (method, dataset, sample)
),
by_context AS (
    SELECT
        part,
        agent,
        model,
        setup,
        method,
        dataset,
        sample,
        context_sha256,
        weighted_mean(difference, weight) AS difference,
        sum(weight) AS weight
    FROM every_pair
    GROUP BY ALL
),
clustered AS (
    SELECT
        part,
        agent,
        model,
        setup,
        method,
        dataset,
        sample,
        count(*) AS contexts,
        CASE WHEN count(*) >= 10 THEN half_width(difference, weight) END AS half_width
    FROM by_context
    GROUP BY ALL
),
differences AS (
    SELECT
        part,
        agent,
        model,
        setup,
        method,
        dataset,
        sample,
        weighted_mean(flat_score, weight) AS flat,
        weighted_mean(score, weight) AS score,
        weighted_mean(difference, weight) AS difference,
        half_width(difference, weight) AS half_width,
        count(*) AS pairs,
        count(*) FILTER (done AND flat_done) AS done,
        count(*) FILTER (difference > 1e-9) AS better,
        count(*) FILTER (abs(difference) <= 1e-9) AS equal,
        count(*) FILTER (difference < -1e-9) AS worse
    FROM every_pair
    GROUP BY ALL
)
SELECT
    agent,
    nullif(model, '') AS model,
    nullif(setup, '') AS setup,
    dataset,
    method,
    percent(flat) AS flat,
    percent(score) AS score,
    percent(difference) AS difference,
    percent(within(difference - differences.half_width, -1, 1)) AS low,
    percent(within(difference + differences.half_width, -1, 1)) AS high,
    percent(within(difference - clustered.half_width, -1, 1)) AS clustered_low,
    percent(within(difference + clustered.half_width, -1, 1)) AS clustered_high,
    better,
    equal,
    worse,
    pairs,
    done,
    contexts,
    provenance(sample) AS data
FROM differences
JOIN clustered USING (part, agent, model, setup, method, dataset, sample)
ORDER BY
    part, agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
