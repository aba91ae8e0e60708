-- title: Budget matching
-- what: How often the budget search of TreeAgent ends with as many sections as Flat has, by context length and over all examples of the
--   dataset version. Surplus is the mean of TreeAgent's sections minus Flat's.
-- paper: TreeAgent, section 4.5 (74.8 % equal on JSON over the four agents)
WITH chosen AS (
    SELECT budget_matches.*
    FROM budget_matches
    JOIN (SELECT DISTINCT example_id FROM build_examples WHERE list_contains($builds::VARCHAR[], build_id))
        USING (example_id)
),
matched AS (
    SELECT
        dataset,
        tokenizer,
        base_budget,
        length,
        sample,
        count(*) AS examples,
        count(*) FILTER (equal) AS equal,
        count(*) FILTER (surplus > 0) AS more,
        count(*) FILTER (surplus < 0) AS fewer,
        count(*) FILTER (equal) / count(*) AS equal_share,
        avg(flat_sections) AS flat_sections,
        avg(sections) AS tree_sections,
        avg(surplus) AS surplus,
        avg(budget) AS budget
    FROM chosen
    GROUP BY GROUPING SETS (
        (dataset, tokenizer, base_budget, sample, length), (dataset, tokenizer, base_budget, sample)
    )
),
-- The paper averages over the tokenizers of its four agents.
averaged AS (
    SELECT
        dataset,
        'mean of ' || count(*) || ' tokenizers' AS tokenizer,
        base_budget,
        length,
        sample,
        sum(examples)::BIGINT AS examples,
        sum(equal)::BIGINT AS equal,
        sum(more)::BIGINT AS more,
        sum(fewer)::BIGINT AS fewer,
        avg(equal_share) AS equal_share,
        avg(flat_sections) AS flat_sections,
        avg(tree_sections) AS tree_sections,
        avg(surplus) AS surplus,
        avg(budget) AS budget
    FROM matched
    WHERE length IS NULL
    GROUP BY dataset, base_budget, length, sample
    HAVING count(*) > 1
)
SELECT
    dataset,
    tokenizer,
    base_budget,
    length,
    examples,
    equal,
    more,
    fewer,
    percent(equal_share) AS equal_share,
    round(flat_sections, 2) AS flat_sections,
    round(tree_sections, 2) AS tree_sections,
    round(surplus, 2) AS surplus,
    round(budget)::BIGINT AS budget,
    provenance(sample) AS data
FROM (SELECT 1 AS part, * FROM matched UNION ALL BY NAME SELECT 2 AS part, * FROM averaged)
ORDER BY dataset_order(dataset), dataset, part, tokenizer, base_budget, sample, length NULLS LAST
