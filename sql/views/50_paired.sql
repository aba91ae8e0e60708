-- What reports are made of: repeats of one configuration are averaged first, so that an example counts once.
CREATE OR REPLACE MACRO scores_of(chosen) AS TABLE
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
        context_sha256,
        avg(score) AS score,
        avg(weight) AS weight,
        bool_and(done) AS done,
        count(*) AS repeats,
        sample
    FROM example_scores
    WHERE chosen IS NULL OR list_contains(chosen, run_id)
    GROUP BY ALL;
COMMENT ON MACRO TABLE scores_of IS 'Scores by planned example over a list of runs (null: all), with repeats averaged';

CREATE OR REPLACE MACRO paired_of(chosen) AS TABLE
    WITH scored AS MATERIALIZED (FROM scores_of(chosen))
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
        1 / count(*) OVER (PARTITION BY other.build_id, other.setup, other.agent, other.method, other.task, other.length)
            AS weight,
        flat.done AS flat_done,
        other.done,
        other.sample
    FROM scored AS other
    JOIN scored AS flat USING (build_id, setup, agent, example_id)
    WHERE flat.method = 'flat' AND other.method <> 'flat';
COMMENT ON MACRO TABLE paired_of IS 'Methods against Flat on the same planned examples over a list of runs (null: all), see paired';

CREATE OR REPLACE VIEW paired AS FROM paired_of(NULL);

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
COMMENT ON COLUMN paired.weight IS 'Weight of the pair in a mean difference: cells count equally, and pairs within a cell';
COMMENT ON COLUMN paired.flat_done IS 'True where every repeat under Flat has a prediction';
COMMENT ON COLUMN paired.done IS 'True where every repeat under the method has a prediction';
COMMENT ON COLUMN paired.sample IS 'True for built-in sample data, which supports no claims';
