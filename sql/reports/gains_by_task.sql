-- title: Gains over Flat by task (percentage points)
-- what: Method minus Flat on the same planned examples, averaged equally over lengths, with normal 95 % intervals of the paired
--   difference; none where there are fewer than two pairs or all differ alike.
-- paper: TreeAgent, Figure 3
WITH gains AS (
    SELECT
        paired.agent,
        paired.model,
        paired.setup,
        paired.method,
        paired.dataset,
        paired.task,
        paired.sample,
        weighted_mean(flat_score, weight) AS flat,
        weighted_mean(score, weight) AS score,
        weighted_mean(difference, weight) AS difference,
        half_width(difference, weight) AS half_width,
        count(*) AS pairs,
        count(*) FILTER (done AND flat_done) AS done
    FROM paired
    WHERE (build_id, setup, agent, method) IN (
        SELECT (build_id, setup, agent, method) FROM run_setups WHERE list_contains($runs::VARCHAR[], run_id)
    )
    AND (build_id, setup, agent) IN (
        SELECT (build_id, setup, agent)
        FROM run_setups
        WHERE method = 'flat' AND list_contains($runs::VARCHAR[], run_id)
    )
    GROUP BY ALL
)
SELECT
    agent,
    model,
    setup,
    dataset,
    method,
    task,
    percent(flat) AS flat,
    percent(score) AS score,
    percent(difference) AS gain,
    percent(within(difference - half_width, -1, 1)) AS low,
    percent(within(difference + half_width, -1, 1)) AS high,
    pairs,
    done,
    provenance(sample) AS data
FROM gains
ORDER BY
    agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method,
    task_order(task), task
