-- title: Mean answer scores (%)
-- what: Each score is the mean over cells (task, length) of the mean over the planned examples of the cell; whatever is
--   missing scores zero. The average gives equal weight to the datasets, and the last group to the agents.
-- paper: TreeAgent, Table 1
WITH dataset_scores AS (
    SELECT
        agent,
        model,
        setup,
        method,
        dataset,
        sample,
        weighted_mean(score, weight) AS score,
        count(*) AS planned,
        count(*) FILTER (done) AS done
    FROM scores_of($runs::VARCHAR[])
    GROUP BY agent, model, setup, method, dataset, sample
),
by_agent AS (
    SELECT
        agent,
        model,
        setup,
        method,
        sample,
        any_value(score) FILTER (dataset = 'json') AS json,
        any_value(score) FILTER (dataset = 'html') AS html,
        any_value(score) FILTER (dataset = 'yaml') AS yaml,
        any_value(score) FILTER (dataset = 'javascript') AS javascript,
        avg(score) AS average,
        list(dataset ORDER BY dataset) AS datasets,
        sum(planned)::BIGINT AS planned,
        sum(done)::BIGINT AS done
    FROM dataset_scores
    GROUP BY agent, model, setup, method, sample
),
-- A mean over agents is given only where every agent has one setup with this method, all on the same datasets.
over_agents AS (
    SELECT
        'mean of ' || count(*) || ' agents' AS agent,
        method,
        sample,
        avg(json) AS json,
        avg(html) AS html,
        avg(yaml) AS yaml,
        avg(javascript) AS javascript,
        avg(average) AS average,
        any_value(datasets) AS datasets,
        sum(planned)::BIGINT AS planned,
        sum(done)::BIGINT AS done
    FROM by_agent
    GROUP BY method, sample
    HAVING count(*) > 1
        AND count(DISTINCT agent) = count(*)
        AND count(DISTINCT datasets) = 1
        AND count(*) = (SELECT count(DISTINCT agent) FROM by_agent)
),
every_row AS (
    SELECT 1 AS part, * FROM by_agent
    UNION ALL BY NAME
    SELECT 2 AS part, * FROM over_agents
)
SELECT
    agent,
    model,
    setup,
    method,
    percent(json) AS json,
    percent(html) AS html,
    percent(yaml) AS yaml,
    percent(javascript) AS javascript,
    percent(average) AS average,
    len(datasets) AS datasets,
    planned,
    done,
    provenance(sample) AS data
FROM every_row
ORDER BY part, agent_order(agent), agent, model, setup, sample, method_order(method), method
