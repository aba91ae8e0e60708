-- A run may be scored by several scorers. The one that scored most of its examples counts; ties go to the first name.
CREATE OR REPLACE VIEW run_scorers AS
SELECT run_id, arg_min(scorer, (-scored, scorer)) AS scorer, max(scored) AS scored, count(*) AS scorers
FROM (SELECT run_id, scorer, count(*) AS scored FROM scores GROUP BY run_id, scorer)
GROUP BY run_id;

COMMENT ON VIEW run_scorers IS 'The scorer whose scores count for a run';
COMMENT ON COLUMN run_scorers.run_id IS 'The run';
COMMENT ON COLUMN run_scorers.scorer IS 'Scorer with the most scores; the first name where several have as many';
COMMENT ON COLUMN run_scorers.scored IS 'Examples that it scored';
COMMENT ON COLUMN run_scorers.scorers IS 'Scorers that have scores for the run';

CREATE OR REPLACE VIEW example_scores AS
WITH planned AS (
    SELECT
        run_setups.run_id,
        run_setups.build_id,
        run_setups.setup,
        run_setups.agent,
        run_setups.method,
        run_setups.model,
        examples.dataset,
        examples.task,
        examples.length,
        examples.split,
        examples.number,
        examples.example_id,
        examples.context_sha256,
        run_setups.sample OR examples.sample AS sample
    FROM run_examples
    JOIN run_setups USING (run_id)
    JOIN examples USING (example_id)
),
cell_sizes AS (
    SELECT
        run_id,
        task,
        length,
        count(*) AS planned,
        count(*) OVER (PARTITION BY run_id) AS cells,
        bool_or(bool_or(sample)) OVER (PARTITION BY run_id) AS sample
    FROM planned
    GROUP BY run_id, task, length
)
SELECT
    planned.run_id,
    planned.build_id,
    planned.setup,
    planned.agent,
    planned.method,
    planned.model,
    planned.dataset,
    planned.task,
    planned.length,
    planned.split,
    planned.number,
    planned.example_id,
    planned.context_sha256,
    predictions.run_id IS NOT NULL AS done,
    coalesce(predictions.outcome, 'skipped'::outcome) AS outcome,
    scores.run_id IS NOT NULL AS scored,
    coalesce(scores.score, 0) AS score,
    1.0::DOUBLE / (cell_sizes.cells * cell_sizes.planned) AS weight,
    scores.scorer,
    scores.scorer_version,
    cell_sizes.sample
FROM planned
JOIN cell_sizes USING (run_id, task, length)
LEFT JOIN predictions ON predictions.run_id = planned.run_id AND predictions.example_id = planned.example_id
LEFT JOIN run_scorers ON run_scorers.run_id = planned.run_id
LEFT JOIN scores
    ON scores.run_id = predictions.run_id
    AND scores.example_id = predictions.example_id
    AND scores.scorer = run_scorers.scorer;

COMMENT ON VIEW example_scores IS 'One row for each planned example of a run; whatever is missing scores zero';
COMMENT ON COLUMN example_scores.run_id IS 'The run';
COMMENT ON COLUMN example_scores.build_id IS 'Dataset version';
COMMENT ON COLUMN example_scores.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN example_scores.agent IS 'Memory agent';
COMMENT ON COLUMN example_scores.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN example_scores.model IS 'Model specification';
COMMENT ON COLUMN example_scores.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN example_scores.task IS 'One of the eight tasks';
COMMENT ON COLUMN example_scores.length IS 'Wanted length of the context in tokens';
COMMENT ON COLUMN example_scores.split IS 'test, train or development';
COMMENT ON COLUMN example_scores.number IS 'Number of the example within its cell, from 0';
COMMENT ON COLUMN example_scores.example_id IS 'The planned example';
COMMENT ON COLUMN example_scores.context_sha256 IS 'Its context: examples with the same one are not independent';
COMMENT ON COLUMN example_scores.done IS 'True where a prediction was recorded, whatever its outcome';
COMMENT ON COLUMN example_scores.outcome IS 'Outcome of the prediction; skipped where there is none';
COMMENT ON COLUMN example_scores.scored IS 'True where the prediction has a score';
COMMENT ON COLUMN example_scores.score IS 'Score from 0 to 1; 0 where there is no prediction or no score';
COMMENT ON COLUMN example_scores.weight IS 'Share of the example in the score of its run: cells count equally, and examples within a cell';
COMMENT ON COLUMN example_scores.scorer IS 'Scorer, null where there is no score';
COMMENT ON COLUMN example_scores.scorer_version IS 'Its version';
COMMENT ON COLUMN example_scores.sample IS 'True where any example of the run is built-in sample data, which supports no claims';
