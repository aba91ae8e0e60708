CREATE OR REPLACE VIEW answers AS
SELECT
    example_scores.run_id,
    example_scores.build_id,
    example_scores.setup,
    example_scores.agent,
    example_scores.method,
    example_scores.model,
    example_scores.dataset,
    example_scores.task,
    example_scores.length,
    example_scores.number,
    example_scores.example_id,
    questions.text AS question,
    questions.answer AS expected,
    questions.ordered,
    scores.extracted,
    predictions.raw_answer,
    example_scores.outcome,
    predictions.error,
    example_scores.score,
    example_scores.sample
FROM example_scores
JOIN examples USING (example_id)
JOIN questions USING (question_id)
LEFT JOIN predictions
    ON predictions.run_id = example_scores.run_id AND predictions.example_id = example_scores.example_id
LEFT JOIN scores
    ON scores.run_id = example_scores.run_id
    AND scores.example_id = example_scores.example_id
    AND scores.scorer = example_scores.scorer;

COMMENT ON VIEW answers IS 'Question, expected answer and what a run answered, for each planned example';
COMMENT ON COLUMN answers.run_id IS 'The run';
COMMENT ON COLUMN answers.build_id IS 'Dataset version';
COMMENT ON COLUMN answers.setup IS 'Short hash of what runs must share to be compared, see run_setups';
COMMENT ON COLUMN answers.agent IS 'Memory agent';
COMMENT ON COLUMN answers.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN answers.model IS 'Model specification';
COMMENT ON COLUMN answers.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN answers.task IS 'One of the eight tasks';
COMMENT ON COLUMN answers.length IS 'Wanted length of the context in tokens';
COMMENT ON COLUMN answers.number IS 'Number of the example within its cell, from 0';
COMMENT ON COLUMN answers.example_id IS 'The planned example';
COMMENT ON COLUMN answers.question IS 'The question as the agent reads it';
COMMENT ON COLUMN answers.expected IS 'List of the expected values';
COMMENT ON COLUMN answers.ordered IS 'True where the question demands an order';
COMMENT ON COLUMN answers.extracted IS 'List of the values taken from the answer; null if none could be';
COMMENT ON COLUMN answers.raw_answer IS 'Text of the answer call, unchanged';
COMMENT ON COLUMN answers.outcome IS 'Outcome; skipped where there is no prediction';
COMMENT ON COLUMN answers.error IS 'What went wrong, if anything';
COMMENT ON COLUMN answers.score IS 'Score from 0 to 1; 0 where there is no prediction or no score';
COMMENT ON COLUMN answers.sample IS 'True for built-in sample data, which supports no claims';
