-- title: Scores by task (%)
-- what: Mean over lengths, each over its planned examples. Normal 95 % intervals; none where there are fewer than two
--   examples or all score the same.
-- paper: TreeAgent, Figure 3 (the scores behind the gains)
WITH scored AS (
    SELECT
        agent,
        model,
        setup,
        method,
        dataset,
        task,
        sample,
        weighted_mean(score, weight) AS score,
        half_width(score, weight) AS half_width,
        count(*) AS planned,
        count(*) FILTER (done) AS done
    FROM scores_of($runs::VARCHAR[])
    GROUP BY agent, model, setup, method, dataset, task, sample
)
SELECT
    agent,
    model,
    setup,
    dataset,
    task,
    method,
    percent(score) AS score,
    percent(within(score - half_width, 0, 1)) AS low,
    percent(within(score + half_width, 0, 1)) AS high,
    planned,
    done,
    provenance(sample) AS data
FROM scored
ORDER BY
    agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, task_order(task), task,
    method_order(method), method
