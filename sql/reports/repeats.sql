-- title: Spread over repeated runs
-- what: Runs that are alike in everything but the inference seed or their number. Scores are those of whole runs (%); changed is the share
--   of examples that did not score the same in every repeat. Temperature 0 is not deterministic on a server that batches requests.
-- paper: HyMem, appendix A.1 (means over at least three trials); TreeAgent runs each condition once
WITH chosen AS MATERIALIZED (FROM example_scores WHERE list_contains($runs::VARCHAR[], run_id)),
by_run AS (
    SELECT build_id, dataset, agent, model, setup, method, sample, run_id, weighted_mean(score, weight) AS score
    FROM chosen
    GROUP BY ALL
),
by_example AS (
    SELECT
        build_id,
        dataset,
        agent,
        model,
        setup,
        method,
        sample,
        example_id,
        max(score) - min(score) > 1e-9 AS changed
    FROM chosen
    GROUP BY ALL
),
changes AS (
    SELECT * EXCLUDE (example_id, changed), count(*) AS planned, count(*) FILTER (changed) AS changed
    FROM by_example
    GROUP BY ALL
),
spread AS (
    SELECT
        * EXCLUDE (run_id, score),
        count(*) AS repeats,
        avg(score) AS score,
        min(score) AS lowest,
        max(score) AS highest,
        stddev_samp(score) AS deviation
    FROM by_run
    GROUP BY ALL
    HAVING count(*) > 1
)
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    repeats,
    percent(score) AS score,
    percent(lowest) AS lowest,
    percent(highest) AS highest,
    percent(deviation) AS deviation,
    planned,
    percent(changed / planned) AS changed,
    provenance(sample) AS data
FROM spread
JOIN changes USING (build_id, dataset, agent, model, setup, method, sample)
ORDER BY agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method
