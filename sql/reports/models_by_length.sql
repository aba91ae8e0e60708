-- title: Two models by context length (%)
-- what: Where one agent and method ran under several models, such as a checkpoint before and after training: each model against the one
--   that ran first, on the same planned examples, with normal 95 % intervals of the paired difference.
-- paper: TreeAgent, Table 5
WITH scored AS MATERIALIZED (FROM scores_of($runs::VARCHAR[])),
started AS (
    SELECT build_id, setup, agent, method, min(runs.recorded_at) AS started_at
    FROM run_setups
    JOIN runs USING (run_id, build_id, agent, method)
    WHERE list_contains($runs::VARCHAR[], run_id)
    GROUP BY ALL
),
ranked AS (
    SELECT
        *,
        first_value(setup) OVER (PARTITION BY build_id, agent, method ORDER BY started_at, setup) AS base
    FROM started
),
pairs AS (
    SELECT
        first_model.agent,
        first_model.model AS model,
        other.model AS other_model,
        other.setup,
        other.method,
        other.dataset,
        other.length,
        other.sample,
        other.weight / sum(other.weight) OVER (
            PARTITION BY other.agent, other.setup, other.method, other.dataset, other.length, other.sample
        ) AS weight,
        first_model.score AS first_score,
        other.score,
        other.score - first_model.score AS difference,
        other.done AND first_model.done AS done
    FROM ranked
    JOIN scored AS other USING (build_id, setup, agent, method)
    JOIN scored AS first_model
        ON first_model.build_id = other.build_id
        AND first_model.setup = ranked.base
        AND first_model.agent = other.agent
        AND first_model.method = other.method
        AND first_model.example_id = other.example_id
    WHERE first_model.model <> other.model
),
differences AS (
    SELECT
        agent,
        model,
        other_model,
        setup,
        method,
        dataset,
        length,
        sample,
        weighted_mean(first_score, weight) AS first_score,
        weighted_mean(score, weight) AS score,
        weighted_mean(difference, weight) AS difference,
        half_width(difference, weight) AS half_width,
        count(*) AS pairs,
        count(*) FILTER (done) AS done
    FROM pairs
    GROUP BY GROUPING SETS (
        (agent, model, other_model, setup, method, dataset, length, sample),
        (agent, model, other_model, setup, method, dataset, sample)
    )
)
SELECT
    agent,
    model,
    other_model,
    setup,
    dataset,
    method,
    length,
    percent(first_score) AS first_score,
    percent(score) AS score,
    percent(difference) AS difference,
    percent(within(difference - half_width, -1, 1)) AS low,
    percent(within(difference + half_width, -1, 1)) AS high,
    pairs,
    done,
    provenance(sample) AS data
FROM differences
ORDER BY
    agent_order(agent), agent, model, other_model, setup, dataset_order(dataset), dataset, sample, method_order(method),
    method, length NULLS LAST
