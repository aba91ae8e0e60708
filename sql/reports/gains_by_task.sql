-- title: Gains over Flat by task (percentage points)
-- what: Method minus Flat on the same planned examples, averaged equally over lengths, with normal 95 % intervals of the paired
--   difference; none where there are fewer than two pairs or all differ alike. Where every score is 0 or 1, p is that of the exact
--   McNemar test on better and worse, otherwise of the normal test of the difference; the Holm column holds it against all tasks of the
--   agent and method together.
-- paper: TreeAgent, Figure 3
WITH gains AS (
    SELECT
        agent,
        model,
        setup,
        method,
        dataset,
        task,
        sample,
        weighted_mean(flat_score, weight) AS flat,
        weighted_mean(score, weight) AS score,
        weighted_mean(difference, weight) AS difference,
        half_width(difference, weight) AS half_width,
        count(*) FILTER (difference > 1e-9) AS better,
        count(*) FILTER (difference < -1e-9) AS worse,
        bool_and(score IN (0, 1) AND flat_score IN (0, 1)) AS all_or_nothing,
        count(*) AS pairs,
        count(*) FILTER (done AND flat_done) AS done
    FROM paired_of($runs::VARCHAR[])
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
    difference / half_width * 1.959963984540054 AS z,
    better,
    worse,
    all_or_nothing,
    pairs,
    done,
    provenance(sample) AS data
FROM gains
ORDER BY
    agent_order(agent), agent, model, setup, dataset_order(dataset), dataset, sample, method_order(method), method,
    task_order(task), task
