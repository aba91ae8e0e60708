-- Five examples of every cell for a reader to judge, always the same ones: FROM readings.

CREATE OR REPLACE VIEW readings AS
WITH ranked AS (
    SELECT
        build_examples.build_id,
        examples.*,
        row_number() OVER (
            PARTITION BY build_id, dataset, task, length, split ORDER BY md5('reading ' || example_id), example_id
        ) AS turn
    FROM build_examples
    JOIN examples USING (example_id)
),
chosen AS (
    SELECT * EXCLUDE (supporting), (supporting ->> '$[0]')::INTEGER AS first_support, json_array_length(supporting) AS support
    FROM ranked
    WHERE turn <= 5
)
SELECT
    chosen.build_id,
    chosen.dataset,
    chosen.task,
    chosen.length,
    chosen.split,
    chosen.turn,
    chosen.example_id,
    questions.kind,
    questions.text AS question,
    questions.answer,
    questions.ordered,
    context_tokens.tokens,
    (SELECT count(*) FROM example_payloads WHERE example_payloads.example_id = chosen.example_id) AS payloads,
    chosen.support,
    chosen.first_support AS position,
    payloads.source,
    payloads.payload_id,
    substr(
        payloads.text,
        greatest(1, strpos(payloads.text, questions.answer ->> '$[0]') - 160)::BIGINT,
        320
    ) AS excerpt,
    chosen.sample
FROM chosen
JOIN questions USING (question_id)
LEFT JOIN builds USING (build_id)
LEFT JOIN context_tokens
    ON context_tokens.example_id = chosen.example_id AND context_tokens.tokenizer = builds.construction_tokenizer
LEFT JOIN example_payloads
    ON example_payloads.example_id = chosen.example_id AND example_payloads.position = chosen.first_support
LEFT JOIN payloads USING (payload_id);

COMMENT ON VIEW readings IS 'Five examples of every cell of a dataset version, drawn by their ids, for a reader to judge';
COMMENT ON COLUMN readings.build_id IS 'The dataset version';
COMMENT ON COLUMN readings.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN readings.task IS 'One of the eight tasks';
COMMENT ON COLUMN readings.length IS 'Wanted length of the context in tokens of the construction tokenizer';
COMMENT ON COLUMN readings.split IS 'test, train or development';
COMMENT ON COLUMN readings.turn IS 'From 1 to 5';
COMMENT ON COLUMN readings.example_id IS 'The example: treebench show prints where its answer stands';
COMMENT ON COLUMN readings.kind IS 'Record kind that it asks about';
COMMENT ON COLUMN readings.question IS 'The question as the agent reads it';
COMMENT ON COLUMN readings.answer IS 'List of the expected values, as text';
COMMENT ON COLUMN readings.ordered IS 'True where the question demands an order';
COMMENT ON COLUMN readings.tokens IS 'Tokens of the context under the construction tokenizer';
COMMENT ON COLUMN readings.payloads IS 'Payloads in the context';
COMMENT ON COLUMN readings.support IS 'Payloads that hold records asked about';
COMMENT ON COLUMN readings.position IS 'Place of the first of them in the context, from 0';
COMMENT ON COLUMN readings.source IS 'Source of that payload';
COMMENT ON COLUMN readings.payload_id IS 'That payload';
COMMENT ON COLUMN readings.excerpt IS 'Its text around the first answer, or its beginning where the answer does not stand in it';
COMMENT ON COLUMN readings.sample IS 'True for built-in sample data, which supports no claims';
