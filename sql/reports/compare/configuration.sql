-- title: What defines the runs
-- what: What differs of all that is recorded of the two runs; the query gives the rest as well.
-- paper: no table of its own
WITH fields AS (
    SELECT
        run_id,
        unnest(
            [
                {'field': 'dataset version', 'value': build_id},
                {'field': 'agent', 'value': agent},
                {'field': 'method', 'value': method},
                {'field': 'model', 'value': model},
                {'field': 'prompts', 'value': prompts},
                {'field': 'prompts hash', 'value': left(prompts_sha256, 12)},
                {'field': 'tokenizer', 'value': tokenizer},
                {'field': 'tokenizer hash', 'value': left(tokenizer_sha256, 12)},
                {'field': 'chat template hash', 'value': left(template_sha256, 12)},
                {'field': 'base budget', 'value': base_budget::VARCHAR},
                {'field': 'endpoint', 'value': endpoint},
                {'field': 'treebench', 'value': code_version},
                {'field': 'started', 'value': strftime(recorded_at, '%Y-%m-%d %H:%M UTC')}
            ],
            recursive := TRUE
        )
    FROM runs
    WHERE run_id IN ($first, $second)
    UNION ALL
    SELECT run_id, 'decoding ' || replace(substr(fullkey, 3), '"', ''), value ->> '$'
    FROM runs, json_tree(decoding)
    WHERE run_id IN ($first, $second) AND type <> 'OBJECT' AND NOT contains(fullkey, '[')
    UNION ALL
    SELECT run_id, 'server ' || replace(substr(fullkey, 3), '"', ''), value ->> '$'
    FROM runs, json_tree(server)
    WHERE run_id IN ($first, $second) AND type <> 'OBJECT' AND NOT contains(fullkey, '[')
    UNION ALL
    SELECT run_id, 'version of scorer ' || scorer, string_agg(DISTINCT scorer_version, ', ' ORDER BY scorer_version)
    FROM scores
    WHERE run_id IN ($first, $second)
    GROUP BY run_id, scorer
)
SELECT
    field,
    any_value(value) FILTER (run_id = $first) AS first_value,
    any_value(value) FILTER (run_id = $second) AS second_value,
    first_value IS DISTINCT FROM second_value AS differs
FROM fields
GROUP BY field
ORDER BY differs DESC, field
