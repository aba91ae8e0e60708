-- title: Budget matching
-- what: How often the budget search of TreeAgent ends with as many sections as Flat has, by context length and over all examples of the
--   dataset version. Surplus is the mean of TreeAgent's sections minus Flat's.
-- paper: TreeAgent, section 4.5 (74.8 % equal on JSON over the four agents)
WITH chosen AS (
    SELECT budget_matches.*
    FROM budget_matches
    JOIN (SELECT DISTINCT example_id FROM build_examples WHERE list_contains($builds::VARCHAR[], build_id))
        USING (example_id)
)
SELECT
    dataset,
    tokenizer,
    base_budget,
    length,
    count(*) AS examples,
    count(*) FILTER (equal) AS equal,
    count(*) FILTER (surplus > 0) AS more,
    count(*) FILTER (surplus < 0) AS fewer,
    percent(count(*) FILTER (equal) / nullif(count(*), 0)) AS equal_share,
    round(avg(flat_sections), 2) AS flat_sections,
    round(avg(sections), 2) AS tree_sections,
    round(avg(surplus), 2) AS surplus,
    round(avg(budget))::BIGINT AS budget,
    provenance(sample) AS data
FROM chosen
GROUP BY GROUPING SETS ((dataset, tokenizer, base_budget, sample, length), (dataset, tokenizer, base_budget, sample))
ORDER BY dataset_order(dataset), dataset, tokenizer, base_budget, sample, length NULLS LAST
