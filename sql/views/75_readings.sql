-- Up to five examples of every cell for a reader to judge, always the same ones: FROM readings; FROM reading_places.

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
)
SELECT
    ranked.build_id,
    ranked.dataset,
    ranked.task,
    ranked.length,
    ranked.split,
    ranked.turn,
    ranked.example_id,
    questions.kind,
    questions.text AS question,
    questions.answer,
    questions.ordered,
    context_tokens.tokens,
    (SELECT count(*) FROM example_payloads WHERE example_payloads.example_id = ranked.example_id) AS payloads,
    json_array_length(ranked.supporting) AS support,
    ranked.sample
FROM ranked
JOIN questions USING (question_id)
LEFT JOIN builds USING (build_id)
LEFT JOIN context_tokens
    ON context_tokens.example_id = ranked.example_id AND context_tokens.tokenizer = builds.construction_tokenizer
WHERE ranked.turn <= 5;

COMMENT ON VIEW readings IS 'Up to five examples of every cell of a dataset version, drawn by their ids, for a reader to judge';
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
COMMENT ON COLUMN readings.sample IS 'True for built-in sample data, which supports no claims';

-- A value as it is compared: numbers in one spelling.
CREATE OR REPLACE MACRO spelt(text) AS coalesce(TRY_CAST(text AS DOUBLE)::VARCHAR, text);
COMMENT ON MACRO spelt IS 'A value in one spelling: numbers as DuckDB writes them, other texts as they are';

-- Where an excerpt begins: before the value in the record, elsewhere in the payload, or, without a value, at the record.
CREATE OR REPLACE MACRO begin_of(text, start, stop, value) AS CASE
    WHEN value IS NULL THEN start + 1
    WHEN contains(substr(text, start + 1, stop - start), '"' || value || '"')
        THEN greatest(start + 1, start + strpos(substr(text, start + 1, stop - start), '"' || value || '"') - 80)
    WHEN contains(substr(text, start + 1, stop - start), value)
        THEN greatest(start + 1, start + strpos(substr(text, start + 1, stop - start), value) - 80)
    ELSE strpos(text, value) - 80
END;
COMMENT ON MACRO begin_of IS 'Where an excerpt of 240 characters begins that shows the value, or else the record';

-- So that the first line of an excerpt keeps its indentation; a line that begins further away stays cut.
CREATE OR REPLACE MACRO line_before(text, start) AS
    length(regexp_extract(substr(text, greatest(1, start - 81), start - greatest(1, start - 81)), '\n([^\n]*)$', 1));
COMMENT ON MACRO line_before IS 'Characters of the line before this place, where it begins at most 80 characters earlier; else 0';

CREATE OR REPLACE VIEW reading_places AS
WITH asked AS (
    SELECT DISTINCT
        readings.example_id,
        readings.question,
        readings.kind,
        readings.answer,
        examples.supporting::INTEGER[] AS supporting,
        questions.reference,
        coalesce(json_array_length(questions.reference -> 'fields'), 0)::INTEGER AS fields,
        readings.task = 'count' AS counted
    FROM readings
    JOIN examples USING (example_id)
    JOIN questions USING (question_id)
),
numbered AS (
    SELECT *, unnest(range(CASE WHEN counted THEN 1 ELSE json_array_length(answer)::INTEGER END))::INTEGER AS nth
    FROM asked
),
wanted AS (
    SELECT
        example_id,
        question,
        kind,
        supporting,
        nth,
        CASE WHEN NOT counted THEN answer ->> nth END AS value,
        CASE WHEN fields > 0 THEN reference -> 'fields' -> (nth % fields) ELSE reference -> 'field' END ->> 'name' AS field,
        list_transform(
            list_filter(
                CASE WHEN fields > 0 THEN reference -> 'targets' -> (nth // fields) ELSE reference -> 'conditions' END::JSON[],
                lambda condition: condition ->> 'operator' = 'equals'
            ),
            lambda condition: spelt(condition ->> 'value')
        ) AS conditions
    FROM numbered
),
held AS (
    SELECT
        wanted.*,
        example_payloads.position,
        example_payloads.payload_id
    FROM wanted
    JOIN example_payloads
        ON example_payloads.example_id = wanted.example_id
        AND list_contains(wanted.supporting, example_payloads.position)
    JOIN payloads USING (payload_id)
    WHERE wanted.value IS NULL OR contains(payloads.text, wanted.value)
),
found AS (
    SELECT
        held.example_id,
        held.nth,
        arg_min(
            {'position': held.position, 'payload_id': held.payload_id, 'path': records.path, 'start': records.span_start,
             'stop': records.span_end},
            (
                -- the value of the field that is asked for comes before an equal one of another field
                CASE
                    WHEN held.value IS NULL THEN 0
                    WHEN spelt(json_extract_string(records.fields, '$."' || held.field || '"')) = spelt(held.value) THEN 0
                    WHEN list_bool_or(
                        list_transform(
                            list_zip(json_keys(records.fields), json_extract_string(records.fields, '$.*')),
                            lambda pair: spelt(pair[2]) = spelt(held.value) AND contains(held.question, pair[1])
                        )
                    ) THEN 1
                    ELSE 2
                END,
                held.position,
                records.span_start
            )
        ) AS place
    FROM held
    JOIN records ON records.payload_id = held.payload_id AND records.kind = held.kind
    WHERE list_has_all(
        list_transform(json_extract_string(records.fields, '$.*'), lambda text: spelt(text)),
        CASE WHEN held.value IS NULL THEN held.conditions ELSE list_append(held.conditions, spelt(held.value)) END
    )
    GROUP BY held.example_id, held.nth
),
placed AS (
    SELECT
        wanted.example_id,
        wanted.nth,
        wanted.value,
        found.place,
        payloads.source,
        payloads.payload_id,
        payloads.text,
        greatest(1, begin_of(payloads.text, found.place.start, found.place.stop, wanted.value))::BIGINT AS start
    FROM wanted
    LEFT JOIN found USING (example_id, nth)
    LEFT JOIN payloads ON payloads.payload_id = found.place.payload_id
)
SELECT
    example_id,
    nth + 1 AS number,
    value,
    place.position AS position,
    source,
    payload_id,
    place.path AS path,
    substr(text, start - line_before(text, start), 240 + line_before(text, start)) AS excerpt
FROM placed;

COMMENT ON VIEW reading_places IS 'Where each value of the answers in readings stands: a row for a value, one for a count';
COMMENT ON COLUMN reading_places.example_id IS 'The example, as in readings';
COMMENT ON COLUMN reading_places.number IS 'Number of the value in the answer, from 1';
COMMENT ON COLUMN reading_places.value IS 'The value; null for a count, which stands nowhere';
COMMENT ON COLUMN reading_places.position IS 'Place of the payload with it in the context, from 0; null where no record of table records holds it';
COMMENT ON COLUMN reading_places.source IS 'Source of that payload';
COMMENT ON COLUMN reading_places.payload_id IS 'That payload';
COMMENT ON COLUMN reading_places.path IS 'Path in the payload of the first record with it; of the first that is counted by its texts for a count';
COMMENT ON COLUMN reading_places.excerpt IS 'The payload around the value in that record; for a count, the beginning of the record';
