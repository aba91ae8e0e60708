-- Repeats of one configuration are averaged before pairing, so an example counts once.
CREATE OR REPLACE VIEW paired AS
WITH per_example AS (
    SELECT
        build_id,
        setup,
        agent,
        model,
        method,
        dataset,
        task,
        length,
        example_id,
        any_value(context_sha256) AS context_sha256,
        avg(score) AS score,
        avg(weight) AS weight,
        bool_and(done) AS done,
        count(*) AS repeats,
        bool_or(sample) AS sample
    FROM example_scores
    GROUP BY build_id, setup, agent, model, method, dataset, task, length, example_id
)
SELECT
    other.build_id,
    other.setup,
    other.agent,
    other.model,
    other.method,
    other.dataset,
    other.task,
    other.length,
    other.example_id,
    other.context_sha256,
    flat.score AS flat_score,
    other.score,
    other.score - flat.score AS difference,
    other.weight,
    flat.done AS flat_done,
    other.done,
    other.sample
FROM per_example AS other
JOIN per_example AS flat
    ON flat.method = 'flat'
    AND flat.build_id = other.build_id
    AND flat.setup = other.setup
    AND flat.agent = other.agent
    AND flat.example_id = other.example_id
WHERE other.method <> 'flat';

COMMENT ON VIEW paired IS 'A method against Flat on the same planned example, with everything else equal';
COMMENT ON COLUMN paired.build_id IS 'Dataset version';
COMMENT ON COLUMN paired.setup IS 'Short hash of what both runs share, see run_setups';
COMMENT ON COLUMN paired.agent IS 'Memory agent';
COMMENT ON COLUMN paired.model IS 'Model specification';
COMMENT ON COLUMN paired.method IS 'Observation method compared with Flat: tree, tree_path or treeagent';
COMMENT ON COLUMN paired.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN paired.task IS 'One of the eight tasks';
COMMENT ON COLUMN paired.length IS 'Wanted length of the context in tokens';
COMMENT ON COLUMN paired.example_id IS 'The example that both answered';
COMMENT ON COLUMN paired.context_sha256 IS 'Its context: examples with the same one are not independent';
COMMENT ON COLUMN paired.flat_score IS 'Score under Flat, from 0 to 1; 0 where it is missing';
COMMENT ON COLUMN paired.score IS 'Score under the method, from 0 to 1; 0 where it is missing';
COMMENT ON COLUMN paired.difference IS 'Score under the method minus score under Flat';
COMMENT ON COLUMN paired.weight IS 'Share of the example in the score of its run, see example_scores';
COMMENT ON COLUMN paired.flat_done IS 'True where every repeat under Flat has a prediction';
COMMENT ON COLUMN paired.done IS 'True where every repeat under the method has a prediction';
COMMENT ON COLUMN paired.sample IS 'True for built-in sample data, which supports no claims';
