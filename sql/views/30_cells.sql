CREATE OR REPLACE VIEW cells AS
SELECT
    run_id,
    build_id,
    setup,
    agent,
    method,
    model,
    dataset,
    task,
    length,
    split,
    count(*) AS planned,
    count(*) FILTER (done) AS done,
    count(*) FILTER (scored) AS scored,
    count(*) FILTER (outcome = 'stop') AS stopped,
    count(*) FILTER (done AND outcome <> 'stop') AS failed,
    count(*) FILTER (NOT done) AS missing,
    avg(score) AS score,
    bool_or(sample) AS sample
FROM example_scores
GROUP BY run_id, build_id, setup, agent, method, model, dataset, task, length, split;

COMMENT ON VIEW cells IS 'One row for each cell of a run: how much was planned, is done, and the mean score over all planned examples';
COMMENT ON COLUMN cells.run_id IS 'The run';
COMMENT ON COLUMN cells.build_id IS 'Dataset version';
COMMENT ON COLUMN cells.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN cells.agent IS 'Memory agent';
COMMENT ON COLUMN cells.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN cells.model IS 'Model specification';
COMMENT ON COLUMN cells.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN cells.task IS 'One of the eight tasks';
COMMENT ON COLUMN cells.length IS 'Wanted length of the contexts in tokens';
COMMENT ON COLUMN cells.split IS 'test, train or development';
COMMENT ON COLUMN cells.planned IS 'Planned examples: the denominator of the score';
COMMENT ON COLUMN cells.done IS 'Examples with a prediction, whatever its outcome';
COMMENT ON COLUMN cells.scored IS 'Examples with a score';
COMMENT ON COLUMN cells.stopped IS 'Examples whose answer was finished';
COMMENT ON COLUMN cells.failed IS 'Examples with any other outcome';
COMMENT ON COLUMN cells.missing IS 'Examples without a prediction';
COMMENT ON COLUMN cells.score IS 'Mean score over planned examples, from 0 to 1';
COMMENT ON COLUMN cells.sample IS 'True for built-in sample data, which supports no claims';

CREATE OR REPLACE VIEW cell_outcomes AS
SELECT run_id, agent, method, dataset, task, length, outcome, count(*) AS examples, avg(score) AS score
FROM example_scores
GROUP BY run_id, agent, method, dataset, task, length, outcome;

COMMENT ON VIEW cell_outcomes IS 'How the examples of each cell ended';
COMMENT ON COLUMN cell_outcomes.run_id IS 'The run';
COMMENT ON COLUMN cell_outcomes.agent IS 'Memory agent';
COMMENT ON COLUMN cell_outcomes.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN cell_outcomes.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN cell_outcomes.task IS 'One of the eight tasks';
COMMENT ON COLUMN cell_outcomes.length IS 'Wanted length of the contexts in tokens';
COMMENT ON COLUMN cell_outcomes.outcome IS 'Outcome; skipped where there is no prediction';
COMMENT ON COLUMN cell_outcomes.examples IS 'Planned examples that ended so';
COMMENT ON COLUMN cell_outcomes.score IS 'Their mean score, from 0 to 1';

CREATE OR REPLACE VIEW run_scores AS
SELECT
    run_id,
    build_id,
    setup,
    agent,
    method,
    model,
    dataset,
    count(DISTINCT (task, length)) AS cells,
    count(*) AS planned,
    count(*) FILTER (done) AS done,
    count(*) FILTER (scored) AS scored,
    count(*) FILTER (outcome = 'stop') AS stopped,
    weighted_mean(score, weight) AS score,
    half_width(score, weight) AS half_width,
    bool_or(sample) AS sample
FROM example_scores
GROUP BY run_id, build_id, setup, agent, method, model, dataset;

COMMENT ON VIEW run_scores IS 'The score of each run: the mean over its cells, each over its planned examples (section 4.2 of the TreeAgent paper)';
COMMENT ON COLUMN run_scores.run_id IS 'The run';
COMMENT ON COLUMN run_scores.build_id IS 'Dataset version';
COMMENT ON COLUMN run_scores.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN run_scores.agent IS 'Memory agent';
COMMENT ON COLUMN run_scores.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN run_scores.model IS 'Model specification';
COMMENT ON COLUMN run_scores.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN run_scores.cells IS 'Cells (task, length) that count equally';
COMMENT ON COLUMN run_scores.planned IS 'Planned examples: the denominator of the score';
COMMENT ON COLUMN run_scores.done IS 'Examples with a prediction, whatever its outcome';
COMMENT ON COLUMN run_scores.scored IS 'Examples with a score';
COMMENT ON COLUMN run_scores.stopped IS 'Examples whose answer was finished';
COMMENT ON COLUMN run_scores.score IS 'Mean over cell means, from 0 to 1';
COMMENT ON COLUMN run_scores.half_width IS 'Half the normal 95 % interval of the score; null where it cannot be given';
COMMENT ON COLUMN run_scores.sample IS 'True for built-in sample data, which supports no claims';
